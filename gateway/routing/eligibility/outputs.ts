import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Turn } from '../../terms/turn.ts';
import type { IndexedEndpoint } from '../endpoint-index.ts';
import type { EligibilityRule } from './eligibility-rule.ts';
import { undrawn } from './pictures.ts';
import { isSetting } from './setting.ts';

/**
 * What is to be made goes only to who makes it: the named modalities, speech in a voice and format that were declared,
 * pictures as they were declared. Speech without a voice is asked of nobody: there are no defaults. (spec: inference, Routing rules 7; `image_config`, `audio`)
 */
export function outputsRule({ endpoint, answers }: IndexedEndpoint, turn: Turn): EligibilityRule | null {
  const output = turn.modalities?.output;
  if (output === undefined || output.length === 0) {
    if (!answers) return { reason: 'modality', detail: 'text' };
  } else {
    const lacking = output.find((modality) => !endpoint.outputModalities.includes(modality));
    if (lacking !== undefined) return { reason: 'modality', detail: lacking };
    if (output.includes('audio') && !turn.speech) return { reason: 'require_parameters', member: 'audio' };
  }
  if (turn.speech) return unspoken(endpoint, turn.speech);
  return turn.imageConfig ? undrawn(endpoint, turn.imageConfig) : null;
}

function unspoken(endpoint: Endpoint, { voice, format }: NonNullable<Turn['speech']>): EligibilityRule | null {
  const { speech } = endpoint.envelopes;
  if (!speech) return { reason: 'modality', detail: 'audio' };
  const hasVoice = speech.voices.includes(voice) || isSetting(endpoint, 'audio', 'voice', voice);
  if (!hasVoice) return { reason: 'require_parameters', member: 'audio.voice' };
  const hasFormat = speech.formats.includes(format) || isSetting(endpoint, 'audio', 'format', format);
  return hasFormat ? null : { reason: 'require_parameters', member: 'audio.format' };
}
