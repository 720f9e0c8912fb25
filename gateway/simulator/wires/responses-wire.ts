import type { Answer } from '../answer/answer.ts';
import { piecesOf, wordsOf } from '../answer/pieces.ts';
import type { Wire } from '../answer/wire.ts';

const ARGUMENT_PIECE_CHARS = 8;
const CUT: Readonly<Record<string, string>> = { length: 'max_output_tokens', content_filter: 'content_filter' };
/** Begins the encrypted reasoning that a simulated provider makes. */
export const SEALED = 'c2VhbGVk';

/** Responses, as a provider writes them. */
export const responsesWire: Wire = {
  whole: (answer) => JSON.stringify({ ...responseOf(answer), ...endOf(answer) }),
  frames,
  failure: (status) => responsesFailure('simulated', `simulated ${status}`),
  usage: (prompt, completion, total) =>
    `{"input_tokens":${prompt},"output_tokens":${completion},"total_tokens":${total}}`,
  errorFrame: (message) =>
    frame('error', { sequence_number: 0, code: 'server_error', message: `simulated ${message}`, param: null }),
};

/** The body of a refusal. */
export function responsesFailure(type: string, message: string, code: string | null = null): string {
  return JSON.stringify({ error: { message, type, param: null, code } });
}

function frame(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

function responseOf({ id, model, created }: Answer): object {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    store: false,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: null,
  };
}

function endOf(answer: Answer): object {
  const reason = CUT[answer.finish];
  return {
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(answer).map(({ whole }) => whole),
    ...(answer.usage === null ? {} : { usage: usageOf(answer.usage) }),
  };
}

/** One item of the output: as it opens, the part of it that has pieces, and as a whole. */
interface Item {
  readonly opened: object;
  readonly part: Part | null;
  readonly whole: object;
}

/** The events of a part, by the words with which their types begin. */
interface Part {
  /** Of the opening and the closing of the part; null: it has neither. */
  readonly frame: string | null;
  readonly empty: object;
  readonly whole: object;
  readonly pieces: readonly string[];
  readonly type: string;
  /** What the end of the pieces is called: `text`, `refusal` or `arguments`. */
  readonly done: string;
  readonly place: object;
  /** Further members of each piece. */
  readonly beside?: object;
}

function itemsOf(answer: Answer): readonly Item[] {
  const { reasoning, refusal, chunks, toolCalls } = answer;
  const items: Item[] = [];
  if (reasoning.length > 0) items.push(thought(answer));
  if (refusal !== null) items.push(message(answer, wordsOf(refusal), 'refusal'));
  else if (chunks.length > 0) items.push(message(answer, chunks, 'output_text'));
  return items.concat(toolCalls.map(call));
}

function thought({ id, reasoning }: Answer): Item {
  const item = { id: `rs_${id}`, type: 'reasoning' };
  const whole = { type: 'summary_text', text: reasoning.join('') };
  return {
    opened: { ...item, summary: [] },
    part: {
      frame: 'response.reasoning_summary_part',
      empty: { type: 'summary_text', text: '' },
      whole,
      pieces: reasoning,
      type: 'response.reasoning_summary_text',
      done: 'text',
      place: { item_id: item.id, summary_index: 0 },
    },
    whole: { ...item, summary: [whole], encrypted_content: `${SEALED}-${id}` },
  };
}

function message({ id }: Answer, pieces: readonly string[], type: 'output_text' | 'refusal'): Item {
  const item = { id: `msg_${id}`, type: 'message', role: 'assistant' };
  const name = type === 'refusal' ? 'refusal' : 'text';
  const part = (text: string): object =>
    type === 'refusal' ? { type, refusal: text } : { type, text, annotations: [], logprobs: [] };
  const whole = part(pieces.join(''));
  return {
    opened: { ...item, status: 'in_progress', content: [] },
    part: {
      frame: 'response.content_part',
      empty: part(''),
      whole,
      pieces,
      type: `response.${type}`,
      done: name,
      place: { item_id: item.id, content_index: 0 },
      beside: type === 'refusal' ? {} : { logprobs: [] },
    },
    whole: { ...item, status: 'completed', content: [whole] },
  };
}

function call({ id, name, arguments: given }: Answer['toolCalls'][number]): Item {
  const item = { id: id.replace('call', 'fc'), type: 'function_call', call_id: id, name };
  return {
    opened: { ...item, status: 'in_progress', arguments: '' },
    part: {
      frame: null,
      empty: {},
      whole: {},
      pieces: piecesOf(given, ARGUMENT_PIECE_CHARS),
      type: 'response.function_call_arguments',
      done: 'arguments',
      place: { item_id: item.id },
    },
    whole: { ...item, status: 'completed', arguments: given },
  };
}

function frames(answer: Answer): { readonly content: readonly string[]; readonly tail: readonly string[] } {
  let number = 0;
  const event = (type: string, members: object): string => frame(type, { sequence_number: number++, ...members });
  const response = responseOf(answer);
  const content = [event('response.created', { response }) + event('response.in_progress', { response })];
  itemsOf(answer).forEach(({ opened, part, whole }, output_index) => {
    const pieces = [event('response.output_item.added', { output_index, item: opened })];
    if (part !== null) {
      const { place, frame: outer, done } = part;
      const at = { output_index, ...place };
      if (outer !== null) pieces[0] += event(`${outer}.added`, { ...at, part: part.empty });
      part.pieces.forEach((delta, nth) => {
        const piece = event(`${part.type}.delta`, { ...at, delta, ...part.beside });
        if (nth === 0) pieces[0] += piece;
        else pieces.push(piece);
      });
      const end = event(`${part.type}.done`, { ...at, [done]: part.pieces.join('') });
      pieces[pieces.length - 1] += end + (outer === null ? '' : event(`${outer}.done`, { ...at, part: part.whole }));
    }
    pieces[pieces.length - 1] += event('response.output_item.done', { output_index, item: whole });
    content.push(...pieces);
  });
  const end = endOf(answer) as { readonly status: string };
  return { content, tail: [event(`response.${end.status}`, { response: { ...response, ...end } })] };
}

/** Cached tokens are among the input's. */
function usageOf(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('mark' in usage) return usage;
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage as {
    readonly prompt_tokens_details?: object;
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
  };
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: 0, ...prompt },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: completion?.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens,
  };
}
