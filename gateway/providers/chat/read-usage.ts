import { isEmpty } from '../../terms/exact-decimal.ts';
import type { Usage } from '../../terms/usage.ts';
import { membersOf } from '../parsed.ts';
import {
  addCompletionUsage,
  addPromptUsage,
  isBrokenCount,
  type OpenUsage,
  type ReportedCompletion,
  type ReportedPrompt,
  tokenCount,
} from '../prompt-usage.ts';

type Members = Readonly<Record<string, unknown>>;
/**
 * Reads the `usage` object of a provider that speaks chat completions, under any of the known names. In this dialect
 * totals include their parts; parts are added only where the provider's own `total_tokens` proves that they are not
 * included, and so are tokens that only this sum counts. An invalid count is unreported, and so are parts that contradict
 * their total. Null when the object holds no count.
 */
export function readUsage(value: unknown): Usage | null {
  if (!isObject(value)) return null;
  const prompt = promptOf(value);
  const completion = completionOf(value);
  const outside = outsideOf(value, prompt, completion);
  const usage: OpenUsage = {};
  addPromptUsage(usage, prompt, outside.caches ? 'excluded' : 'included');
  addCompletionUsage(usage, completion, outside.reasoning ? 'excluded' : 'included');
  if (outside.unnamed > 0) addUnnamed(usage, value, outside.unnamed);
  return isEmpty(usage) ? null : usage;
}

/** Reads the standard details and the names used by DeepSeek, Moonshot, Mistral and servers that forward a messages usage. */
function promptOf(usage: Members): ReportedPrompt {
  const details = membersOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const creation = membersOf(usage.cache_creation);
  return {
    input: usage.prompt_tokens ?? usage.input_tokens,
    cacheRead:
      details.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.cache_read_input_tokens ??
      usage.cached_tokens ??
      usage.num_cached_tokens,
    cacheWrite: details.cache_write_tokens ?? details.cache_creation_tokens ?? usage.cache_creation_input_tokens,
    cacheWrite5m: creation.ephemeral_5m_input_tokens,
    cacheWrite1h: creation.ephemeral_1h_input_tokens,
  };
}

function completionOf(usage: Members): ReportedCompletion {
  const details = membersOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  return {
    output: usage.completion_tokens ?? usage.output_tokens,
    reasoning: details.reasoning_tokens ?? usage.reasoning_tokens,
    image: details.image_tokens,
    audio: details.audio_tokens,
  };
}

/** What the totals of prompt and answer leave out. */
interface Outside {
  readonly caches: boolean;
  readonly reasoning: boolean;
  /** Tokens that only the stated sum counts. */
  readonly unnamed: number;
}

const ALL_INSIDE: Outside = { caches: false, reasoning: false, unnamed: 0 };
const CACHES_OUTSIDE: Outside = { caches: true, reasoning: false, unnamed: 0 };

/**
 * `input_tokens` beside cache counts is the messages dialect, whose total excludes the cache. Otherwise only a stated
 * sum proves an exclusion, and only if it has no other explanation.
 */
function outsideOf(usage: Members, prompt: ReportedPrompt, completion: ReportedCompletion): Outside {
  const foreign =
    usage.prompt_tokens == null && (usage.cache_read_input_tokens ?? usage.cache_creation_input_tokens) != null;
  const both = sum(prompt.input, completion.output);
  const total = tokenCount(usage.total_tokens);
  const outside = total === undefined || both === null ? 0 : total - both;
  if (outside <= 0) return foreign ? CACHES_OUTSIDE : ALL_INSIDE;
  const caches = sum(prompt.cacheRead, prompt.cacheWrite) ?? 0;
  const reasoning = sum(completion.reasoning) ?? 0;
  const all = outside === caches + reasoning;
  const cachesOutside = caches > 0 && (all || (outside === caches && outside !== reasoning));
  const reasoningOutside = reasoning > 0 && (all || (outside === reasoning && outside !== caches));
  // A part of the sum may be one of these, in the words of another provider: then the rest proves nothing.
  const parts = [caches, prompt.cacheRead, prompt.cacheWrite, completion.image, completion.audio];
  const isNamed = foreign || reasoning > 0 || parts.includes(outside);
  return { caches: foreign || cachesOutside, reasoning: reasoningOutside, unnamed: isNamed ? 0 : outside };
}

/**
 * Adds tokens that only the stated sum counts: those of audio in the prompt, which Mistral states in seconds, else
 * reasoning, as Gemini counts it. Both totals must be reported, or the rest of the sum is one of them.
 */
function addUnnamed(usage: OpenUsage, { prompt_audio_seconds: seconds }: Members, tokens: number): void {
  const { promptTokens, completionTokens } = usage;
  if (promptTokens === undefined || completionTokens === undefined) return;
  if (typeof seconds === 'number' && seconds > 0) usage.promptTokens = promptTokens + tokens;
  else {
    usage.completionTokens = completionTokens + tokens;
    usage.reasoningTokens = tokens;
  }
}

/** Null where one of them is invalid; an absent one counts as 0. */
function sum(one: unknown, other: unknown = null): number | null {
  if (isBrokenCount(one) || isBrokenCount(other)) return null;
  return (tokenCount(one) ?? 0) + (tokenCount(other) ?? 0);
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}
