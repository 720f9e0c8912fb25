import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { declaredSpelling } from '../../terms/declared-spelling.ts';
import { isLeftToEndpoint } from '../../terms/is-left-to-endpoint.ts';
import type { Turn } from '../../terms/turn.ts';
import { isSetting } from './is-setting.ts';
import type { RuleViolation } from './rule-violation.ts';

/**
 * The endpoint must declare every image setting; a size may be the name of a tier. A setting left to the endpoint
 * (`auto`) needs no declaration. The adapter converts the spelling. (spec: inference, `image_config`)
 */
export function imageConfigRule(endpoint: Endpoint, config: NonNullable<Turn['imageConfig']>): RuleViolation | null {
  for (const [member, value] of Object.entries(config)) {
    if (isLeftToEndpoint(member, value)) continue;
    if (isWithin(endpoint, member, value) || isSetting(endpoint, 'image_config', member, value)) continue;
    return { reason: 'require_parameters', member: `image_config.${member}` };
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
      return isListed(sizes, value) || isListed(resolutions, value);
    case 'output_format':
      return isListed(formats, value);
    default:
      return false;
  }
}

/** Letter case is ignored: tiers are written `2K` and `2k`, sizes `1024x1024` and `1024X1024`. */
function isListed(values: readonly string[] | undefined, value: unknown): boolean {
  return declaredSpelling(value, values ?? []) !== undefined;
}
