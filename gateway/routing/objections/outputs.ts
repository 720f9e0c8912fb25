import type { EndpointOffer } from '../../../actors/terms/offer.ts';
import type { Turn } from '../../terms/turn.ts';
import type { Listed } from '../listing.ts';
import type { Objection } from './objection.ts';
import { undrawn } from './pictures.ts';
import { isSetting } from './setting.ts';

/**
 * What is to be made goes only to who makes it: the named modalities, speech in a voice and format that were declared,
 * pictures as they were declared. Speech without a voice is asked of nobody: there are no defaults. (spec: inference, Routing rules 7; `image_config`, `audio`)
 */
export function againstOutputs({ offer, answers }: Listed, turn: Turn): Objection | null {
  const output = turn.modalities?.output;
  if (output === undefined || output.length === 0) {
    if (!answers) return { reason: 'modality', detail: 'text' };
  } else {
    const lacking = output.find((modality) => !offer.outputModalities.includes(modality));
    if (lacking !== undefined) return { reason: 'modality', detail: lacking };
    if (output.includes('audio') && !turn.speech) return { reason: 'require_parameters', member: 'audio' };
  }
  if (turn.speech) return unspoken(offer, turn.speech);
  return turn.imageConfig ? undrawn(offer, turn.imageConfig) : null;
}

function unspoken(offer: EndpointOffer, { voice, format }: NonNullable<Turn['speech']>): Objection | null {
  const { speech } = offer.envelopes;
  if (!speech) return { reason: 'modality', detail: 'audio' };
  const hasVoice = speech.voices.includes(voice) || isSetting(offer, 'audio', 'voice', voice);
  if (!hasVoice) return { reason: 'require_parameters', member: 'audio.voice' };
  const hasFormat = speech.formats.includes(format) || isSetting(offer, 'audio', 'format', format);
  return hasFormat ? null : { reason: 'require_parameters', member: 'audio.format' };
}
