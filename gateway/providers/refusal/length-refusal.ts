/** The sizes in tokens that a provider named when it refused a request for its length; each only where it named it. */
export interface NamedSizes {
  readonly window?: number;
  readonly prompt?: number;
  readonly completion?: number;
}

/** Values of `code` and `type` that mean nothing else. */
const NAMES: ReadonlySet<unknown> = new Set(['context_length_exceeded', 'exceed_context_size_error']);

/** A refusal is a sentence; the rest of a longer text is ignored. */
const CHARACTERS_MAX = 2_048;

const PHRASES =
  /context (?:length|size|window|limit)|prompt is too long|too large for model with|max_new_tokens` must be|maximum number of (?:input )?tokens allowed|(?:prompt|input) \(\d+ tokens?\) is too long/i;

/** How providers write each size. Every pattern takes time linear in the text. */
const WINDOW = [
  /context limit: \d+ \+ \d+ > (\d+)/i,
  /context (?:length|size|window|limit)[a-z' ]{0,24}[:( ]{1,2}(\d+)/i,
  /(?:> |exceeds limit of |must be <= )(\d+)(?! -)/i,
  /tokens allowed \(?(\d+)/i,
  /model with (\d+) maximum context/i,
];
const PROMPT = [
  /\b(\d+) in (?:the|your) (?:messages|prompt)/i,
  /(?:has|passed|resulted in|contains) (\d+) (?:input )?tokens/i,
  /too long: (\d+) tokens/i,
  /exceed context limit: (\d+) \+/i,
  /token count \(?(\d+)/i,
  /(?:prompt|input) \((\d+) tokens/i,
  /given: (\d+) `inputs`/i,
  /request \((\d+) tokens/i,
];
const COMPLETION = [
  /\b(\d+) in the completion/i,
  /too large: (\d+)\./i,
  /exceed context limit: \d+ \+ (\d+)/i,
  /requested (\d+) output tokens/i,
  /and (\d+) `max_new_tokens`/i,
];

/**
 * Recognises a provider's refusal for length by the error object of its answer, in the words of the common servers.
 * Null for any other error. Only numbers are taken from the text: it may quote the prompt or the operator's key.
 */
export function lengthRefusal(error: unknown): NamedSizes | null {
  const { code, type, message, n_ctx, n_prompt_tokens } = (
    typeof error === 'object' && error !== null ? error : {}
  ) as Record<string, unknown>;
  const text = typeof message === 'string' ? message.slice(0, CHARACTERS_MAX) : '';
  if (!NAMES.has(code) && !NAMES.has(type) && !PHRASES.test(text)) return null;
  const sizes: { -readonly [size in keyof NamedSizes]: number } = {};
  const window = size(n_ctx) ?? named(text, WINDOW);
  const prompt = size(n_prompt_tokens) ?? named(text, PROMPT);
  const completion = named(text, COMPLETION);
  if (window !== undefined) sizes.window = window;
  if (prompt !== undefined) sizes.prompt = prompt;
  if (completion !== undefined) sizes.completion = completion;
  return sizes;
}

function named(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const found = size(Number(pattern.exec(text)?.[1]));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** No window is larger; a longer number is something else. */
const SIZE_MAX = 1_000_000_000;

function size(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= SIZE_MAX
    ? (value as number)
    : undefined;
}
