import type { Answer } from '../answer/answer.ts';
import type { ChatRequest } from '../answer/chat-request.ts';
import type { Wire } from '../answer/wire.ts';
import { chatWire } from './chat-wire.ts';

/** Text completions, as a server with the older form of OpenAI writes them. */
export const completionsWire: Wire = {
  ...chatWire,
  whole: (answer) => {
    const texts = textsOf(answer);
    const choice = choiceOf(texts.join(''), answer.finish, scoresOf(answer, texts));
    return JSON.stringify({ ...head(answer), choices: [choice], ...usageOf(answer) });
  },
  frames: (answer) => {
    const frame = (members: object): string => `data: ${JSON.stringify({ ...head(answer), ...members })}\n\n`;
    const piece = (text: string): string =>
      frame({ choices: [choiceOf(text, null, scoresOf(answer, text === '' ? [] : [text]))] });
    const end = frame({ choices: [choiceOf('', answer.finish, null)] });
    const usage = answer.usage === null ? [] : [frame({ choices: [], ...usageOf(answer) })];
    return { content: [piece(''), ...textsOf(answer).map(piece)], tail: [end, ...usage, 'data: [DONE]\n\n'] };
  },
};

function head({ id, model, created }: Answer): object {
  return { id: id.replace('chatcmpl', 'cmpl'), object: 'text_completion', created, model };
}

function choiceOf(text: string, finish_reason: string | null, logprobs: object | null): object {
  return { index: 0, text, logprobs, finish_reason };
}

function textsOf({ refusal, chunks }: Answer): readonly string[] {
  return refusal === null ? chunks : [refusal];
}

function usageOf({ usage }: Answer): object {
  return usage === null ? {} : { usage };
}

function scoresOf({ logprobs: count }: Answer, tokens: readonly string[]): object | null {
  if (count === null || tokens.length === 0) return null;
  const others = (token: string): object =>
    Object.fromEntries(Array.from({ length: count }, (_, nth) => [nth === 0 ? token : `~${nth}`, -0.1 - nth]));
  return {
    tokens,
    token_logprobs: tokens.map(() => -0.1),
    top_logprobs: tokens.map(others),
    text_offset: tokens.map((_, at) => tokens.slice(0, at).join('').length),
  };
}

/** Converts a text completion request to one of chat completions. */
export function chatOfCompletion(body: unknown): ChatRequest {
  const { prompt, logprobs, ...request } = body as Omit<ChatRequest, 'logprobs'> & {
    readonly prompt?: string;
    readonly logprobs?: number | null;
  };
  if (typeof prompt !== 'string') throw new Error('prompt: Field required');
  return {
    ...request,
    messages: [{ role: 'user', content: prompt }],
    ...(logprobs == null ? {} : { logprobs: true, top_logprobs: logprobs }),
  };
}
