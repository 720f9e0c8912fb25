import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { declaredSpelling, isLeftToEndpoint, type PictureFrame, pictureFrame } from '../../terms/picture-frame.ts';
import type { Turn } from '../../terms/turn.ts';
import { isSetting } from './is-setting.ts';
import type { RuleViolation } from './rule-violation.ts';

type Config = NonNullable<Turn['imageConfig']>;

/**
 * The endpoint must declare every image setting. A resolution, an aspect ratio and a size may be declared in another
 * form, into which the adapter converts them. A setting left to the endpoint (`auto`) needs no declaration. `prefix` is
 * the path of the settings in the request. (rule I24)
 */
export function imageConfigRule(endpoint: Endpoint, config: Config, prefix: string): RuleViolation | null {
  const requested = Object.entries(config).filter(([member, value]) => !isLeftToEndpoint(member, value));
  const frame = pictureFrame(Object.fromEntries(requested), endpoint.envelopes.image);
  for (const [member, value] of requested) {
    if (isWithin(endpoint, member, value) || isSetting(endpoint, 'image_config', member, value)) continue;
    if (isConverted(frame, member)) continue;
    return { reason: 'require_parameters', member: `${prefix}${member}` };
  }
  return null;
}

function isWithin({ envelopes }: Endpoint, member: string, value: unknown): boolean {
  const { resolutions, aspectRatios, sizes, formats, imagesMax = 1 } = envelopes.image ?? {};
  switch (member) {
    case 'n':
      return typeof value === 'number' && value <= imagesMax;
    case 'resolution':
      return isListed(resolutions, value);
    case 'aspect_ratio':
      return isListed(aspectRatios, value);
    case 'size':
      return isListed(sizes, value);
    case 'output_format':
      return isListed(formats, value);
    default:
      return false;
  }
}

/** The endpoint's frame lacks a requested member that another member stands for. */
function isConverted(frame: PictureFrame, member: string): boolean {
  return member in FRAME && frame[member as keyof PictureFrame] === undefined;
}

const FRAME: Readonly<Record<keyof PictureFrame, true>> = { resolution: true, aspect_ratio: true, size: true };

/** Letter case is ignored: tiers are written `2K` and `2k`, sizes `1024x1024` and `1024X1024`. */
function isListed(values: readonly string[] | undefined, value: unknown): boolean {
  return declaredSpelling(value, values ?? []) !== undefined;
}
