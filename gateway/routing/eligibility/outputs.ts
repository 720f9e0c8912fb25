import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Turn } from '../../terms/turn.ts';
import { rulesOf } from '../../terms/turn-kind.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import { listed } from '../endpoints/endpoint-index.ts';
import { imageConfigRule } from './image-config.ts';
import { isSetting } from './is-setting.ts';
import type { RuleViolation } from './rule-violation.ts';

const CONVERSATION: RuleViolation = { reason: 'source', detail: 'a conversation' };

/** The modalities of answers. */
const ANSWERS: ReadonlySet<string> = new Set(['text', 'image', 'audio']);

/**
 * The endpoint must produce the requested modalities, the speech in a declared voice and format, and the images as
 * declared. Speech without a voice matches no endpoint, since there are no defaults. An endpoint must answer in some
 * modality that the dialect of the caller can carry, and one that continues texts serves nothing else. (rule I122, rule I23)
 */
export function outputsRule({ endpoint, answers, continuesOnly }: IndexedEndpoint, turn: Turn): RuleViolation | null {
  if (continuesOnly && !rulesOf(turn).continuesText) return CONVERSATION;
  const output = turn.modalities?.output;
  if (output === undefined || output.length === 0) {
    if (!answers) return { reason: 'modality', detail: 'text' };
    if (turn.inexpressible && !answersBeside(endpoint, turn.inexpressible)) {
      return { reason: 'modality', member: INEXPRESSIBLE, detail: 'text' };
    }
  } else {
    const lacking = output.find((modality) => !endpoint.outputModalities.includes(modality));
    if (lacking !== undefined) return { reason: 'modality', detail: lacking };
    if (output.includes('audio') && !turn.speech) return { reason: 'require_parameters', member: 'audio' };
  }
  if (turn.speech) return speechRule(endpoint, turn.speech);
  return turn.imageConfig ? imageConfigRule(endpoint, turn.imageConfig, rulesOf(turn).pictureSettings) : null;
}

/** The member of rejections that only another dialect can avoid. */
export const INEXPRESSIBLE = 'modalities';

function answersBeside({ outputModalities }: Endpoint, inexpressible: NonNullable<Turn['inexpressible']>): boolean {
  return outputModalities.some(
    (output) => ANSWERS.has(output) && !(inexpressible as readonly string[]).includes(output),
  );
}

function speechRule(endpoint: Endpoint, { voice, format }: NonNullable<Turn['speech']>): RuleViolation | null {
  const { speech } = endpoint.envelopes;
  if (!speech) return { reason: 'modality', detail: 'audio' };
  const hasVoice = speech.voices.includes(voice) || isSetting(endpoint, 'audio', 'voice', voice);
  if (!hasVoice)
    return { reason: 'require_parameters', member: 'audio.voice', detail: `declared are ${listed(speech.voices)}` };
  const hasFormat = speech.formats.includes(format) || isSetting(endpoint, 'audio', 'format', format);
  if (hasFormat) return null;
  return { reason: 'require_parameters', member: 'audio.format', detail: `declared are ${listed(speech.formats)}` };
}
