import { type ChatRequest, textOf } from './chat-request.ts';
import { flawsOf } from './flaws.ts';
import { wordsOf } from './pieces.ts';

/**
 * How to answer one call. Derived from the model id and from a directive in the last user message: one JSON object
 * after the marker `@sim `, which lets the client of a gateway control its upstream.
 */
export interface Behaviour {
  /** The client's own id of the request: joins the provider log with the client history. */
  readonly id: string | null;
  /** Delay before the first byte of the body, ms. */
  readonly ttftMs: number;
  /** Chunks per second; 0 sends without a pause. */
  readonly tokensPerSecond: number;
  /** Length of the answer, in chunks, each reported as one token. */
  readonly tokens: number;
  /** Fixed text instead of the numbered chunks; cut at spaces into chunks. */
  readonly text: string | null;
  readonly reasoningTokens: number;
  /** Reasoning is reported in structured entries beside its text. */
  readonly detailed: boolean;
  readonly draws: boolean;
  readonly speaks: boolean;
  readonly audioSeconds: number;
  /** The answer lists the pictures, recordings and files of the request. */
  readonly sees: boolean;
  /** Shares of the prompt read from a cache and written to one. */
  readonly cachedShare: number;
  readonly writtenShare: number;
  /** The refusal sent instead of an answer. */
  readonly refusal: string | null;
  readonly toolCalls: readonly { readonly name: string; readonly arguments?: string }[] | null;
  /** False: usage is not reported. An object replaces members of the reported usage. */
  readonly usage: boolean | Readonly<Record<string, unknown>>;
  readonly finish: string | null;
  /** The answer waits until this name is released: a stream after some chunks, a reply in one piece before its first byte. */
  readonly hold: string | null;
  readonly failure: Failure | null;
}

/** The failure of a call. Only one member takes effect, in this order: status, hang, garbage, cut. */
interface Failure {
  readonly status: number | null;
  readonly retryAfter: string | null;
  readonly hang: 'headers' | 'body' | 'midstream' | null;
  readonly garbage: string | null;
  /** The connection is destroyed after this many chunks (a reply in one piece: in the middle of its body). */
  readonly cutAfter: number | null;
}

/** The directive as a client writes it. */
export interface Directive {
  readonly id?: string;
  readonly ttft_ms?: number;
  readonly tps?: number;
  readonly tokens?: number;
  readonly text?: string;
  readonly reasoning_tokens?: number;
  readonly audio_seconds?: number;
  readonly cached_share?: number;
  readonly written_share?: number;
  readonly refusal?: string;
  readonly tool_calls?: readonly { readonly name: string; readonly arguments?: string }[];
  readonly usage?: boolean | Readonly<Record<string, unknown>>;
  readonly finish?: string;
  readonly hold?: string;
  readonly status?: number;
  readonly retry_after?: string;
  readonly hang?: 'headers' | 'body' | 'midstream';
  readonly garbage?: string;
  readonly cut_after?: number;
  /** Only this many first calls of this id at one provider fail; without another failure they answer 500. */
  readonly fail_first?: number;
  /** Only this provider fails. */
  readonly only_on?: string;
}

const MARKER = '@sim ';

/** What a model does besides answering in text, independent of the directive. */
interface Ability {
  readonly detailed?: boolean;
  readonly draws?: boolean;
  readonly speaks?: boolean;
  readonly sees?: boolean;
  /** Answers with the last message of the user. */
  readonly echoes?: boolean;
  /** Caches prompt prefixes: half of a prompt with a known beginning counts as read from the cache. */
  readonly caches?: boolean;
}

/** The default behaviour of each model. `sim/flaky` fails every second call. */
const BY_MODEL: Readonly<Record<string, Directive & Ability>> = {
  'sim/echo': { echoes: true },
  'sim/fast': { tokens: 16 },
  'sim/slow': { ttft_ms: 200, tps: 20, tokens: 60 },
  'sim/tools': { tokens: 8 },
  'sim/reasoner': { tokens: 24, reasoning_tokens: 12 },
  'sim/no-usage': { tokens: 16, usage: false },
  'sim/flaky': { tokens: 16 },
  'sim/down': { status: 503 },
  'sim/missing': { status: 404 },
  'sim/small': { tokens: 8 },
  'sim/structured': { tokens: 12 },
  'sim/vision': { tokens: 8, sees: true },
  'sim/painter': { tokens: 8, draws: true },
  'sim/speaker': { tokens: 8, speaks: true, sees: true },
  'sim/thinker': { tokens: 16, reasoning_tokens: 16, detailed: true },
  'sim/tiered': { tokens: 16, caches: true },
  // Upstream ids of the provider with the messages dialect.
  'thinker-d': { tokens: 16, reasoning_tokens: 16, detailed: true },
  'scribe-2026': { tokens: 16, detailed: true, sees: true, caches: true },
};

/** Reasoning tokens of a reasoning model by effort. */
const BY_EFFORT: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 2,
  low: 8,
  medium: 16,
  high: 32,
  xhigh: 64,
  max: 96,
};
const FLAWED_THOUGHTS = 4;
const CACHED_SHARE = 0.5;
const BEGINNING_CHARS = 64;
/** The answer length that `sim/echo` declares. */
const ECHO_WORDS_MAX = 4_096;

/** What decides the behaviour besides the request. */
interface Place {
  readonly provider: string;
  /** Counts calls of one model or one id at this provider, this call included. */
  readonly calls: (name: string) => number;
  /** What a model can do by its declaration; null for one that nothing declares. */
  readonly abilityOf: (model: string) => (Directive & Ability) | null;
}

export function behaviourOf(request: ChatRequest, { provider, calls, abilityOf }: Place): Behaviour {
  const model = request.model ?? '';
  const own: Directive & Ability = BY_MODEL[model] ?? abilityOf(model) ?? byFlaws(request);
  const requested = directiveIn(request);
  const directive = requested === null ? own : { ...own, ...requested };
  const ceiling = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  const echo = own.echoes === true ? echoOf(request) : null;
  const wanted = echo?.length ?? directive.tokens ?? 16;
  return {
    id: directive.id ?? null,
    ttftMs: directive.ttft_ms ?? 0,
    tokensPerSecond: directive.tps ?? 0,
    tokens: Math.max(0, Math.min(wanted, ceiling)),
    text: directive.text ?? echo?.slice(0, ceiling).join('') ?? null,
    reasoningTokens: isSilent(request)
      ? 0
      : (requested?.reasoning_tokens ?? thoughtOf(request, own.reasoning_tokens ?? 0)),
    detailed: own.detailed ?? false,
    draws: own.draws ?? false,
    speaks: own.speaks ?? false,
    audioSeconds: directive.audio_seconds ?? 1,
    sees: own.sees ?? false,
    ...sharesOf(request, directive, own.caches === true, calls),
    refusal: directive.refusal ?? null,
    toolCalls: directive.tool_calls ?? null,
    usage: directive.usage ?? true,
    hold: directive.hold ?? null,
    finish: directive.finish ?? (wanted > ceiling ? 'length' : null),
    failure: failureOf(directive, { model, provider, calls }),
  };
}

/** The words of the last message of the user; never none, since an answer without content is no answer. */
function echoOf({ messages = [] }: ChatRequest): readonly string[] {
  const text = textOf(messages.findLast(({ role }) => role === 'user'));
  const words = wordsOf(text);
  return words.length === 0 ? ['Nothing ', 'to ', 'echo.'] : words.slice(0, ECHO_WORDS_MAX);
}

/** A flawed model reasons before it answers, or rejects the request. */
function byFlaws(request: ChatRequest): Directive & Ability {
  const flaws = flawsOf(request.model ?? '');
  const effort = request.reasoning_effort ?? 'none';
  if (flaws.has('rejects-effort') && effort !== 'none') return { status: 400 };
  if (flaws.size === 0) return {};
  const thinks = flaws.has('never-thinks') ? 0 : FLAWED_THOUGHTS;
  return { tokens: 8, reasoning_tokens: thinks, ...(flaws.has('refuses') ? { refusal: 'I would rather not.' } : {}) };
}

/** True if the request disables reasoning; only `thinks-despite-none` ignores that. */
function isSilent({ reasoning, reasoning_effort, enable_thinking, model }: ChatRequest): boolean {
  if (flawsOf(model ?? '').has('thinks-despite-none')) return false;
  return (
    (reasoning_effort ?? reasoning?.effort) === 'none' || reasoning?.enabled === false || enable_thinking === false
  );
}

/** Reasoning tokens: by effort for models that reason by default, and only on request for those that merely can. */
function thoughtOf({ reasoning, reasoning_effort, enable_thinking, model }: ChatRequest, own: number): number {
  const can = own > 0 || BY_MODEL[model ?? '']?.detailed === true;
  const effort = reasoning_effort ?? reasoning?.effort;
  if (!can) return 0;
  const enabled = effort !== undefined || reasoning?.enabled === true || enable_thinking === true;
  const length = effort === undefined ? Math.max(own, enabled ? 16 : 0) : BY_EFFORT[effort] || own;
  return reasoning?.max_tokens === undefined ? length : Math.min(Math.max(length, 16), reasoning.max_tokens);
}

function sharesOf(
  { messages = [] }: ChatRequest,
  directive: Directive,
  caches: boolean,
  calls: (name: string) => number,
): Pick<Behaviour, 'cachedShare' | 'writtenShare'> {
  const beginning = textOf(messages[0]).slice(0, BEGINNING_CHARS);
  const known = caches && calls(`beginning ${beginning}`) > 1;
  return {
    cachedShare: directive.cached_share ?? (known ? CACHED_SHARE : 0),
    writtenShare: directive.written_share ?? (caches && !known ? CACHED_SHARE : 0),
  };
}

function failureOf(
  directive: Directive,
  call: { readonly model: string; readonly provider: string; readonly calls: (name: string) => number },
): Failure | null {
  if (directive.only_on !== undefined && directive.only_on !== call.provider) return null;
  if (directive.fail_first !== undefined && call.calls(`id ${directive.id ?? ''}`) > directive.fail_first) return null;
  const flaky = call.model === 'sim/flaky' && call.calls(`model ${call.model}`) % 2 === 1;
  const failure: Failure = {
    status: directive.status ?? null,
    retryAfter: directive.retry_after ?? null,
    hang: directive.hang ?? null,
    garbage: directive.garbage ?? null,
    cutAfter: directive.cut_after ?? null,
  };
  if (failure.status ?? failure.hang ?? failure.garbage ?? failure.cutAfter) return failure;
  if (failure.cutAfter === 0) return failure;
  return flaky || directive.fail_first !== undefined ? { ...failure, status: 500 } : null;
}

/** Null without the marker. Throws for a directive that is not JSON. */
function directiveIn(request: ChatRequest): Directive | null {
  const messages = request.messages ?? [];
  for (let at = messages.length - 1; at >= 0; at--) {
    if (messages[at]?.role !== 'user') continue;
    const text = textOf(messages[at]);
    const marker = text.indexOf(MARKER);
    if (marker < 0) return null;
    return JSON.parse(text.slice(marker + MARKER.length, text.lastIndexOf('}') + 1)) as Directive;
  }
  return null;
}
