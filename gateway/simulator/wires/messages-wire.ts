import type { Answer } from '../answer/answer.ts';
import { piecesOf } from '../answer/pieces.ts';
import type { Wire } from '../answer/wire.ts';

const ARGUMENT_PIECE_CHARS = 8;
/** The signature of all thinking of a simulated provider. */
export const SIGNATURE = 'c2ltdWxhdGVk';
const STOPS: Readonly<Record<string, string>> = { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' };
const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** The messages dialect, as a native provider writes it: every frame has an event name. */
export const messagesWire: Wire = {
  whole,
  frames,
  failure: (status) => messagesFailure(ERRORS[status] ?? 'api_error', `simulated ${status}`),
  usage: (prompt, completion) => `{"input_tokens":${prompt},"output_tokens":${completion}}`,
  errorFrame: (message) => frame('error', failed('api_error', message)),
};

/** One block of an answer: its start, its deltas, and its form in a whole answer. */
interface Block {
  readonly begin: Readonly<Record<string, unknown>>;
  readonly deltas: readonly object[];
  readonly whole: Readonly<Record<string, unknown>>;
}

function whole(answer: Answer): string {
  return JSON.stringify({
    ...opening(answer),
    content: blocksOf(answer).map((block) => block.whole),
    ...stopMembers(answer),
    ...(answer.usage === null ? {} : { usage: { ...inputOf(answer.usage), ...outputOf(answer.usage) } }),
  });
}

/** The first delta of a block is joined to its beginning, the last to its end: one frame per piece of the answer. */
function frames(answer: Answer): { readonly content: readonly string[]; readonly tail: readonly string[] } {
  const { usage } = answer;
  const message = {
    ...opening(answer),
    content: [],
    stop_reason: null,
    ...(usage === null ? {} : { usage: { ...inputOf(usage), ...('mark' in usage ? {} : { output_tokens: 1 }) } }),
  };
  const content = [frame('message_start', { message }) + frame('ping', {})];
  blocksOf(answer).forEach(({ begin, deltas }, index) => {
    const pieces = deltas.map((delta) => frame('content_block_delta', { index, delta }));
    pieces[0] = frame('content_block_start', { index, content_block: begin }) + (pieces[0] ?? '');
    pieces[pieces.length - 1] += frame('content_block_stop', { index });
    content.push(...pieces);
  });
  const delta = { ...stopMembers(answer), stop_sequence: null };
  const end = frame('message_delta', { delta, ...(usage === null ? {} : { usage: outputOf(usage) }) });
  return { content, tail: [end, frame('message_stop', {})] };
}

function frame(type: string, members: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
}

/** The body of a refusal, by the dialect's word for it. */
export function messagesFailure(type: string, message: string): string {
  return JSON.stringify(failed(type, message));
}

function failed(type: string, message: string): object {
  return { type: 'error', error: { type, message } };
}

function opening({ id, model }: Answer): object {
  return { id: id.replace('chatcmpl', 'msg'), type: 'message', role: 'assistant', model, stop_sequence: null };
}

function stopMembers({ finish, refusal }: Answer): object {
  if (refusal === null) return { stop_reason: STOPS[finish] ?? finish, stop_details: null };
  return {
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: 'cyber', explanation: 'simulated refusal' },
  };
}

function blocksOf(answer: Answer): readonly Block[] {
  const blocks: Block[] = [];
  const { reasoning, refusal } = answer;
  if (reasoning.length > 0) {
    const begin = { type: 'thinking', thinking: '', signature: '' };
    const deltas = [
      ...reasoning.map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: SIGNATURE },
    ];
    blocks.push({ begin, deltas, whole: { ...begin, thinking: reasoning.join(''), signature: SIGNATURE } });
  }
  const chunks = refusal === null ? answer.chunks : [refusal];
  if (chunks.length > 0) {
    const begin = { type: 'text', text: '' };
    const deltas = chunks.map((text) => ({ type: 'text_delta', text }));
    blocks.push({ begin, deltas, whole: { ...begin, text: chunks.join('') } });
  }
  for (const call of answer.toolCalls) {
    const begin = { type: 'tool_use', id: call.id.replace('call', 'toolu'), name: call.name, input: {} };
    const pieces = call.arguments === '' ? [''] : piecesOf(call.arguments, ARGUMENT_PIECE_CHARS);
    const deltas = pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    blocks.push({ begin, deltas, whole: { ...begin, input: parsed(call.arguments) } });
  }
  return blocks;
}

/** Arguments that are broken on purpose cannot appear in a whole answer, so they become `{}`. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

/** This dialect excludes cached tokens from `input_tokens`. */
function inputOf(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('mark' in usage) return usage;
  const { cached_tokens: read = 0, cache_write_tokens: written = 0 } = (usage.prompt_tokens_details ?? {}) as {
    readonly cached_tokens?: number;
    readonly cache_write_tokens?: number;
  };
  return {
    input_tokens: Number(usage.prompt_tokens) - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
  };
}

function outputOf(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return 'mark' in usage ? usage : { output_tokens: usage.completion_tokens };
}
