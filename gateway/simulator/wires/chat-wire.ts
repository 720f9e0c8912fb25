import type { Answer } from '../answer/answer.ts';
import { piecesOf } from '../answer/pieces.ts';
import type { Wire } from '../answer/wire.ts';

const ARGUMENT_PIECE_CHARS = 8;
/** A multiple of four, so that each piece of base64 can be decoded on its own. */
const AUDIO_PIECE_CHARS = 4_096;
const SIGNATURE = 'c2ltdWxhdGVk';
const ENCRYPTED = { type: 'reasoning.encrypted', data: 'c2VhbGVk', index: 1, format: 'sim-v1' };

const common: Pick<Wire, 'failure' | 'usage' | 'errorFrame'> = {
  failure: (status) => JSON.stringify({ error: { message: `simulated ${status}`, type: 'simulated', code: status } }),
  usage: (prompt, completion, total) =>
    `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${total}}`,
  errorFrame: (message) => `data: ${JSON.stringify({ error: { code: 500, message } })}\n\n`,
};

/** The signature of a call in the form of Gemini. */
export const SIGNED_CALL = 'c2lnbmVkLWNhbGw=';

/** Where providers of this dialect differ in their answers. */
export interface ChatSpelling {
  /** Absent: plain as `reasoning_content`, and structured as `details`. */
  readonly reasonsIn?: 'reasoning' | 'reasoning_content' | 'details' | 'parts' | 'signature' | 'none';
  /** The id of a call as the provider makes it. */
  readonly callId?: (id: string) => string;
}

/** The chat completions dialect, as a provider writes it. */
export const chatWire: Wire = chatWireOf({});

export function chatWireOf(spelling: ChatSpelling): Wire {
  const { callId } = spelling;
  const spelled = (answer: Answer): Answer =>
    callId === undefined
      ? answer
      : { ...answer, toolCalls: answer.toolCalls.map((call) => ({ ...call, id: callId(call.id) })) };
  return {
    ...common,
    whole: (answer) => whole(spelled(answer), spelling),
    frames: (answer) => frames(spelled(answer), spelling),
  };
}

function whole(answer: Answer, spelling: ChatSpelling): string {
  const logprobs = logprobsOf(answer.logprobs, answer.chunks);
  return JSON.stringify({
    id: answer.id,
    object: 'chat.completion',
    created: answer.created,
    model: answer.model,
    choices: [{ index: 0, message: messageOf(answer, spelling), ...logprobs, finish_reason: answer.finish }],
    ...(answer.usage === null ? {} : { usage: answer.usage }),
  });
}

function messageOf(answer: Answer, spelling: ChatSpelling): Readonly<Record<string, unknown>> {
  const { speech } = answer;
  const text = answer.chunks.join('') || null;
  const message: Record<string, unknown> = { role: 'assistant', content: text };
  if (answer.refusal !== null) message.refusal = answer.refusal;
  if (answer.reasoning.length > 0) {
    const { content = [], ...members } = thought(answer, answer.reasoning.join(''), true, spelling);
    Object.assign(message, members);
    const rest = text === null ? [] : [{ type: 'text', text }];
    if (spelling.reasonsIn === 'parts') message.content = (content as readonly object[]).concat(rest);
  }
  if (answer.toolCalls.length > 0) {
    message.tool_calls = answer.toolCalls.map((call, at) => ({
      ...signed(at, spelling),
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }));
  }
  if (answer.pictures.length > 0) message.images = answer.pictures.map(imageOf);
  if (speech !== null) {
    const { id, data, transcript, expiresAt } = speech;
    message.audio = { id, data, transcript, expires_at: expiresAt };
  }
  return message;
}

/** The first content frame carries the role; a stream ends with all frames of `tail`. */
function frames(
  answer: Answer,
  spelling: ChatSpelling,
): { readonly content: readonly string[]; readonly tail: readonly string[] } {
  const open = `data: {"id":"${answer.id}","object":"chat.completion.chunk","created":${answer.created},"model":${JSON.stringify(answer.model)},"choices":[`;
  const frame = (delta: string, finish: string, logprobs = ''): string =>
    `${open}{"index":0,"delta":${delta}${logprobs},"finish_reason":${finish}}]}\n\n`;
  const content = [frame('{"role":"assistant","content":""}', 'null')];
  const add = (delta: object): void => void content.push(frame(JSON.stringify(delta), 'null'));
  answer.reasoning.forEach((text, at) => {
    add(thought(answer, text, at === answer.reasoning.length - 1, spelling));
  });
  for (const text of answer.refusal?.match(/\S+\s*/g) ?? []) add({ refusal: text });
  for (const text of answer.chunks) {
    const logprobs = answer.logprobs === null ? '' : JSON.stringify(logprobsOf(answer.logprobs, [text])).slice(1, -1);
    content.push(frame(`{"content":${JSON.stringify(text)}}`, 'null', logprobs && `,${logprobs}`));
  }
  for (const call of callPieces(answer, spelling)) add({ tool_calls: [call] });
  answer.pictures.forEach((url, index) => {
    add({ images: [imageOf(url, index)] });
  });
  for (const audio of audioPieces(answer)) add({ audio });
  const tail = [frame('{}', JSON.stringify(answer.finish))];
  if (answer.usage !== null) tail.push(`${open}],"usage":${JSON.stringify(answer.usage)}}\n\n`);
  tail.push('data: [DONE]\n\n');
  return { content, tail };
}

/** Plain text, or text beside an entry. The last fragment carries the signature, and an encrypted entry follows it. */
function thought(
  { detailed }: Answer,
  text: string,
  last: boolean,
  { reasonsIn = detailed ? 'details' : 'reasoning_content' }: ChatSpelling,
): Readonly<Record<string, unknown>> {
  switch (reasonsIn) {
    case 'details': {
      const signature = last ? { signature: SIGNATURE } : {};
      const entry = { type: 'reasoning.text', text, index: 0, format: 'sim-v1', ...signature };
      return { reasoning: text, reasoning_details: last ? [entry, ENCRYPTED] : [entry] };
    }
    case 'parts':
      return { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
    case 'reasoning':
    case 'reasoning_content':
      return { [reasonsIn]: text };
    default:
      return {};
  }
}

/** The first call of an answer is signed where the provider signs calls. */
function signed(at: number, { reasonsIn }: ChatSpelling): object {
  return reasonsIn === 'signature' && at === 0 ? { extra_content: { google: { thought_signature: SIGNED_CALL } } } : {};
}

function imageOf(url: string, index: number): object {
  return { type: 'image_url', image_url: { url }, index };
}

function* callPieces(answer: Answer, spelling: ChatSpelling): Iterable<object> {
  for (const [index, call] of answer.toolCalls.entries()) {
    yield {
      ...signed(index, spelling),
      index,
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: '' },
    };
    for (const piece of piecesOf(call.arguments, ARGUMENT_PIECE_CHARS)) {
      yield { index, function: { arguments: piece } };
    }
  }
}

function* audioPieces({ speech }: Answer): Iterable<object> {
  if (speech === null) return;
  const { id, data, transcript, expiresAt } = speech;
  for (const text of transcript.match(/\S+\s*/g) ?? []) yield { id, transcript: text };
  for (const piece of piecesOf(data, AUDIO_PIECE_CHARS)) yield { id, data: piece };
  yield { id, expires_at: expiresAt };
}

/** One entry per chunk, with alternatives of decreasing probability. */
function logprobsOf(top: number | null, chunks: readonly string[]): { readonly logprobs?: object } {
  if (top === null) return {};
  const content = chunks.map((token) => {
    const entry = (text: string, logprob: number): object => ({ token: text, logprob, bytes: [...Buffer.from(text)] });
    const others = Array.from({ length: top }, (_, nth) => entry(nth === 0 ? token : `~${nth}`, -0.1 - nth));
    return { ...entry(token, -0.1), top_logprobs: others };
  });
  return { logprobs: { content, refusal: null } };
}
