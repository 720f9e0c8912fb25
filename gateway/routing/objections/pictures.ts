import type { EndpointOffer, Envelopes } from '../../../actors/terms/offer.ts';
import { imageConfig } from '../../providers/chat/image-config.ts';
import type { Turn } from '../../terms/turn.ts';
import type { Objection } from './objection.ts';
import { isSetting } from './setting.ts';

type Config = NonNullable<Turn['imageConfig']>;
type Envelope = NonNullable<Envelopes['image']>;

/**
 * Every setting of a picture must be one that the endpoint declares; resolution, ratio and size in whichever of the
 * three words it declares itself, as its adapter will write them. What is left to the endpoint (`auto`) asks nothing of
 * it. (spec: inference, `image_config`)
 */
export function undrawn(offer: EndpointOffer, config: Config): Objection | null {
  const envelope = offer.envelopes.image ?? {};
  const drawn = imageConfig(config, envelope);
  for (const [member, value] of Object.entries(config)) {
    const isLeft = value === 'auto' || (member === 'n' && value === 1);
    if (isLeft || isWithin(envelope, drawn, member, value) || isSetting(offer, 'image_config', member, value)) continue;
    return { reason: 'require_parameters', member: `image_config.${member}` };
  }
  return null;
}

function isWithin(envelope: Envelope, drawn: Config, member: string, value: unknown): boolean {
  const { resolutions, aspectRatios, sizes, formats, imagesMax = 1 } = envelope;
  const asSize = drawn.size !== undefined && isListed(sizes, drawn.size);
  switch (member) {
    case 'n':
      return typeof value === 'number' && value <= imagesMax;
    case 'output_format':
      return isListed(formats, value);
    case 'size':
      return drawn.size === undefined ? isListed(aspectRatios, drawn.aspect_ratio) : asSize;
    case 'resolution':
      return drawn.resolution === undefined ? asSize : isListed(resolutions, drawn.resolution);
    case 'aspect_ratio':
      return drawn.aspect_ratio === undefined ? asSize : isListed(aspectRatios, drawn.aspect_ratio);
    default:
      return false;
  }
}

/** Tiers are written `2K` and `2k`, sizes `1024x1024` and `1024X1024`. */
function isListed(values: readonly string[] | undefined, value: unknown): boolean {
  if (value === undefined || values === undefined) return false;
  const written = String(value).toLowerCase();
  return values.some((each) => each.toLowerCase() === written);
}
