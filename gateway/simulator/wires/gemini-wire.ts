import type { Answer } from '../answer/answer.ts';
import type { Wire } from '../answer/wire.ts';
import { SIGNED_CALL } from './chat-wire.ts';

const STOPS: Readonly<Record<string, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};
const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** `generateContent`, as Google answers it: each frame of a stream is an answer with the next parts. */
export const geminiWire: Wire = {
  whole: (answer) => JSON.stringify(answerWith(answer, partsOf(answer, true), true)),
  frames,
  failure: (status) => geminiFailure(status, `simulated ${status}`),
  usage: (prompt, completion, total) =>
    `{"promptTokenCount":${prompt},"candidatesTokenCount":${completion},"totalTokenCount":${total}}`,
  errorFrame: (message) => `data: ${geminiFailure(500, message)}\n\n`,
};

/** The body of a refusal. */
export function geminiFailure(code: number, message: string): string {
  return JSON.stringify({ error: { code, message, status: STATUSES[code] ?? 'UNKNOWN' } });
}

function frames(answer: Answer): { readonly content: readonly string[]; readonly tail: readonly string[] } {
  const frame = (parts: readonly object[], isLast: boolean): string =>
    `data: ${JSON.stringify(answerWith(answer, parts, isLast))}\n\n`;
  const content = [frame([{ text: '' }], false), ...partsOf(answer, false).map((part) => frame([part], false))];
  return { content, tail: [frame([{ text: '' }], true)] };
}

/** The prompt is counted in every frame, the whole in the last one. */
function answerWith(answer: Answer, parts: readonly object[], isLast: boolean): object {
  const { id, model, usage } = answer;
  return {
    candidates: [{ content: { parts, role: 'model' }, ...(isLast ? { finishReason: stopOf(answer) } : {}), index: 0 }],
    ...(usage === null || !isLast ? {} : { usageMetadata: usageOf(usage) }),
    modelVersion: model,
    responseId: id.replace('chatcmpl-', ''),
  };
}

function stopOf({ finish, refusal }: Answer): string {
  return refusal === null ? (STOPS[finish] ?? finish) : 'SAFETY';
}

/** The first call has a signature, and so has the end of a text that was thought about. */
function partsOf({ reasoning, refusal, chunks, toolCalls, pictures }: Answer, isWhole: boolean): readonly object[] {
  const joined = (pieces: readonly string[]): readonly string[] =>
    isWhole && pieces.length > 0 ? [pieces.join('')] : pieces;
  const said = joined(refusal === null ? chunks : [refusal]);
  const signed = { thoughtSignature: SIGNED_CALL };
  return [
    ...joined(reasoning).map((text) => ({ text, thought: true })),
    ...said.map((text, at) => ({ text, ...(reasoning.length > 0 && at === said.length - 1 ? signed : {}) })),
    ...toolCalls.map(({ id, name, arguments: given }, at) => ({
      functionCall: { id: id.replace('call', 'fc'), name, args: parsed(given) },
      ...(at === 0 ? signed : {}),
    })),
    ...pictures.map((url) => ({ inlineData: { mimeType: 'image/png', data: url.slice(url.indexOf(',') + 1) } })),
  ];
}

/** Arguments that are broken on purpose cannot appear in an object, so they become `{}`. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

/** Thoughts are not among the answer's tokens, and nothing is written to a cache. */
function usageOf(usage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('mark' in usage) return usage;
  const { cached_tokens: cached } = (usage.prompt_tokens_details ?? {}) as { readonly cached_tokens?: number };
  const { reasoning_tokens: thoughts = 0, image_tokens: images } = (usage.completion_tokens_details ?? {}) as {
    readonly reasoning_tokens?: number;
    readonly image_tokens?: number;
  };
  return {
    promptTokenCount: usage.prompt_tokens,
    candidatesTokenCount: Number(usage.completion_tokens) - thoughts,
    totalTokenCount: usage.total_tokens,
    ...(cached === undefined ? {} : { cachedContentTokenCount: cached }),
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    ...(images === undefined ? {} : { candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: images }] }),
  };
}
