import type { EndpointOffer } from '../../../actors/terms/offer.ts';
import type { Turn } from '../../terms/turn.ts';
import type { Listed } from '../listing.ts';
import { satisfies } from '../satisfies.ts';
import type { Objection } from './objection.ts';

/**
 * What is to be made goes only to who makes it: the named modalities, speech in a voice and format that were declared,
 * pictures within the declared envelope. (spec: inference, Routing rules 7; `image_config`, `audio`)
 */
export function againstOutputs(listed: Listed, turn: Turn): Objection | null {
  const { offer } = listed;
  const output = turn.modalities?.output;
  if (output === undefined || output.length === 0) {
    if (!listed.answers) return { reason: 'modality', detail: 'text' };
  } else {
    const lacking = output.find((modality) => !offer.outputModalities.includes(modality));
    if (lacking !== undefined) return { reason: 'modality', detail: lacking };
  }
  if (turn.speech) return unspoken(offer, turn.speech);
  return turn.imageConfig ? undrawn(listed, turn.imageConfig) : null;
}

function unspoken({ envelopes }: EndpointOffer, { voice, format }: NonNullable<Turn['speech']>): Objection | null {
  const { speech } = envelopes;
  if (!speech) return { reason: 'modality', detail: 'audio' };
  if (!speech.voices.includes(voice)) return { reason: 'require_parameters', member: 'audio.voice' };
  if (!speech.formats.includes(format)) return { reason: 'require_parameters', member: 'audio.format' };
  return null;
}

function undrawn(listed: Listed, config: NonNullable<Turn['imageConfig']>): Objection | null {
  for (const [member, value] of Object.entries(config)) {
    if (!isDrawn(listed, member, value)) return { reason: 'require_parameters', member: `image_config.${member}` };
  }
  return null;
}

/** Within the envelope, or declared as a parameter of its own. What is left to the endpoint asks nothing of it. */
function isDrawn({ offer, declares }: Listed, member: string, value: unknown): boolean {
  if (value === 'auto' || (member === 'n' && value === 1)) return true;
  const image = offer.envelopes.image ?? {};
  const enveloped =
    (member === 'n' && (image.imagesMax ?? 1) >= Number(value)) ||
    (member === 'resolution' && isListed(image.resolutions, value)) ||
    (member === 'aspect_ratio' && isListed(image.aspectRatios, value)) ||
    (member === 'size' && (isListed(image.sizes, value) || isListed(image.resolutions, value))) ||
    (member === 'output_format' && isListed(image.formats, value));
  if (enveloped || !declares.has(member)) return enveloped;
  const descriptor = Object.hasOwn(offer.descriptors, member) ? offer.descriptors[member] : undefined;
  return descriptor === undefined || satisfies(descriptor, value);
}

/** Tiers are written `2K` and `2k`, sizes `1024x1024` and `1024X1024`. */
function isListed(values: readonly string[] | undefined, value: unknown): boolean {
  const written = String(value).toLowerCase();
  return values?.some((each) => each.toLowerCase() === written) ?? false;
}
