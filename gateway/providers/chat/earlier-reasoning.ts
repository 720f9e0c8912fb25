import type { ReasoningHistory } from '../../../actors/terms/wire.ts';
import { GEMINI_FORMAT, type ReasoningDetail, type TurnMessage } from '../../terms/turn.ts';

type Assistant = Extract<TurnMessage, { role: 'assistant' }>;

/** The members of an assistant's message that carry its reasoning. */
interface ReasoningMembers {
  readonly reasoning?: string | undefined;
  readonly reasoning_content?: string | undefined;
  readonly reasoning_details?: readonly ReasoningDetail[] | undefined;
  readonly extra_content?: object | undefined;
}

const NONE: ReasoningMembers = {};
/** Reasoning of an answer that came without any: providers that demand it accept a blank. */
const BLANK = ' ';
/** What Gemini accepts as the signature of a call that another model made. */
export const UNSIGNED = 'skip_thought_signature_validator';

/**
 * The reasoning of an earlier answer in the form in which its endpoint takes it back. DeepSeek demands it of every
 * answer of a turn with tools, `withTools`; others of answers with calls. (rule I44)
 */
export function earlierReasoning(message: Assistant, history: ReasoningHistory, withTools: boolean): ReasoningMembers {
  switch (history) {
    case 'details':
      return message.reasoningDetails === undefined && message.reasoning === undefined
        ? NONE
        : { reasoning: message.reasoning, reasoning_details: message.reasoningDetails };
    case 'reasoning':
      return { reasoning: readable(message) };
    case 'reasoning_content':
      return { reasoning_content: readable(message) ?? (withTools || message.toolCalls ? BLANK : undefined) };
    case 'signature':
      return { extra_content: signed(signatureOf(message, undefined)) };
    default:
      return NONE;
  }
}

/** The content of an earlier answer: `text`, behind its reasoning where that is a part of the content. */
export function assistantContent(message: Assistant, text: string | null, history: ReasoningHistory): unknown {
  const thought = history === 'parts' ? readable(message) : undefined;
  if (thought === undefined) return text;
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: thought }] };
  return text ? [thinking, { type: 'text', text }] : [thinking];
}

/** The calls of an earlier answer with their signatures. The first of them has one even if another model made it. */
export function signedCalls(calls: readonly object[], message: Assistant): readonly object[] {
  return calls.map((call, at) => {
    const signature = signatureOf(message, message.toolCalls?.[at]?.id) ?? (at === 0 ? UNSIGNED : undefined);
    return signature === undefined ? call : { ...call, extra_content: signed(signature) };
  });
}

/** The form can carry something of the message's reasoning. */
export function hasForm(message: Assistant, history: ReasoningHistory): boolean {
  switch (history) {
    case 'auto':
    case 'details':
      return true;
    case 'none':
      return false;
    case 'signature':
      return message.reasoningDetails?.some(({ format }) => format === GEMINI_FORMAT) === true;
    default:
      return readable(message) !== undefined;
  }
}

/** The text of the reasoning; undefined without any. */
export function readable({ reasoning, reasoningDetails = [] }: Assistant): string | undefined {
  if (reasoning) return reasoning;
  const text = reasoningDetails.map((detail) => detail.text ?? detail.summary ?? '').join('');
  return text === '' ? undefined : text;
}

/** The signature of one call, or of the text where `id` is undefined. */
function signatureOf({ reasoningDetails }: Assistant, id: string | undefined): string | undefined {
  const detail = reasoningDetails?.find((each) => each.format === GEMINI_FORMAT && (each.id ?? undefined) === id);
  return detail?.data;
}

function signed(signature: string | undefined): object | undefined {
  return signature === undefined ? undefined : { google: { thought_signature: signature } };
}
