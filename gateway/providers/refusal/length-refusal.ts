import type { RefusalFacts } from './refusal-facts.ts';

/** The sizes in tokens that a provider named when it refused a request for its length; each only where it named it. */
export interface NamedSizes {
  readonly window?: number;
  readonly prompt?: number;
  readonly completion?: number;
}

/** Machine words that mean nothing else. */
const NAMES: readonly string[] = [
  'context_length_exceeded',
  'exceed_context_size_error',
  'model_context_window_exceeded',
  'model_max_prompt_tokens_exceeded',
  'too_many_prompt_tokens',
  // Z.ai
  '1261',
];

const PHRASES: readonly RegExp[] = [
  /context (?:length|size|window|limit)/i,
  /(?:prompt|input) (?:\(\d+ tokens?\) )?is too long/i,
  /length of all messages is too long/i,
  /reduce the length of the messages/i,
  /maximum (?:prompt|allowed input) length/i,
  /maximum number of (?:input )?tokens allowed/i,
  /prompt exceeds max|token count of \d+ exceeds|input tokens exceed|model token limit/i,
  /range of input length|too large for model with|max_new_tokens` must be/i,
  /^too many tokens: (?:total|size)/im,
];

/**
 * How providers write the sizes. Of each size the first pattern that finds it is taken, and a number counts only in the
 * words that mean this size: the excess, or the number of an error, is no window. Every pattern takes time linear in
 * the text.
 */
const WORDINGS: readonly RegExp[] = [
  /context limit: (?<prompt>\d+) \+ (?<completion>\d+) > (?<window>\d+)/i,
  /context (?:length|size|window|limit)(?: is| of)?(?: only)?:? \(?(?<window>\d+)/i,
  /model with (?<window>\d+) maximum context/i,
  /maximum (?:prompt|allowed input) length (?:is|of) (?<window>\d+)/i,
  /model token limit: (?<window>\d+)/i,
  /(?:configured|exceeds the) limit of (?<window>\d+)/i,
  /while limit is (?<window>\d+)/i,
  /(?:total number of tokens [\w ()]{1,40} cannot exceed|the limit for this model is) (?<window>\d+)/i,
  /in the prompt cannot exceed \d+ - received (?<prompt>\d+)/i,
  /range of input length should be \[\d+, ?(?<window>\d+)\]/i,
  /tokens allowed \(?(?<window>\d+)/i,
  /(?:> |exceeds limit of |must be <= )(?<window>\d+)(?!\d| -)/i,
  /\b(?<prompt>\d+) (?:tokens )?(?:in (?:the|your) (?:messages|prompt)|from the input messages)/i,
  /(?:has|passed|resulted in|contains) (?<prompt>\d+) (?:input )?tokens/i,
  /too long: (?<prompt>\d+)\b/i,
  /token count (?:of )?\(?(?<prompt>\d+)/i,
  /(?:prompt|input|request) \((?<prompt>\d+) tokens/i,
  /input length (?<prompt>\d+) exceeds/i,
  /current length is (?<prompt>\d+)/i,
  /given: (?<prompt>\d+) `inputs`/i,
  /\b(?<completion>\d+) (?:tokens )?(?:in the (?:completion|output)|for the completion)/i,
  /too large: (?<completion>\d+)\./i,
  /requested (?<completion>\d+) output tokens/i,
  /and (?<completion>\d+) `max_new_tokens`/i,
];
/** One marketplace counts the text, the tools and the files of a prompt one by one. */
const INPUTS = /\b(\d+) of \w{1,16} input\b/gi;

/**
 * Recognises a provider's refusal for length, in the words of the common servers. Null for any other error. Only numbers
 * are taken from the text: it may quote the prompt or the operator's key.
 */
export function lengthRefusal({ records, words, text }: RefusalFacts): NamedSizes | null {
  if (!NAMES.some((name) => words.has(name)) && !PHRASES.some((phrase) => phrase.test(text))) return null;
  const sizes: { -readonly [size in keyof NamedSizes]: number } = {};
  const add = (size: string, value: unknown): void => {
    if (!(size in sizes) && isSize(value)) sizes[size as keyof NamedSizes] = value;
  };
  for (const { n_ctx, n_prompt_tokens } of records) {
    add('window', n_ctx);
    add('prompt', n_prompt_tokens);
  }
  const plain = text.replace(/(\d),(?=\d{3}\b)/g, '$1');
  add('prompt', sumOf(plain));
  for (const wording of WORDINGS) {
    for (const [size, digits] of Object.entries(wording.exec(plain)?.groups ?? {})) add(size, Number(digits));
  }
  return sizes;
}

/** Null where none is named. */
function sumOf(text: string): number | null {
  let sum: number | null = null;
  for (const [, digits] of text.matchAll(INPUTS)) sum = (sum ?? 0) + Number(digits);
  return sum;
}

/** No window is larger; a longer number is something else. */
const SIZE_MAX = 1_000_000_000;

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= SIZE_MAX;
}
