import { type ChatRequest, textOf } from './chat-request.ts';
import { flawsOf } from './flaws.ts';

/**
 * How one call is to be answered. It comes from the model id, then from a directive in the last user message: one JSON
 * object behind the marker `@sim `, so that the caller of a gateway decides what its upstream does.
 */
export interface Behaviour {
  /** The caller's own name for the request: joins provider log and client history. */
  readonly id: string | null;
  /** Wait before the first byte of the body, ms. */
  readonly ttftMs: number;
  /** Chunks per second; 0 sends without a pause. */
  readonly tokensPerSecond: number;
  /** Length of the answer, in chunks, each reported as one token. */
  readonly tokens: number;
  /** Fixed text instead of the numbered chunks; cut at spaces into chunks. */
  readonly text: string | null;
  readonly reasoningTokens: number;
  readonly toolCalls: readonly { readonly name: string; readonly arguments?: string }[] | null;
  /** False: usage is not reported. An object replaces members of the reported usage. */
  readonly usage: boolean | Readonly<Record<string, unknown>>;
  readonly finish: string | null;
  readonly failure: Failure | null;
}

/** What goes wrong with a call; null for nothing. At most one member is looked at: status, hang, garbage, then cut. */
export interface Failure {
  readonly status: number | null;
  readonly retryAfter: string | null;
  readonly hang: 'headers' | 'body' | 'midstream' | null;
  readonly garbage: string | null;
  /** The connection is destroyed behind this many chunks (a reply in one piece: in the middle of its body). */
  readonly cutAfter: number | null;
}

/** The directive as a caller writes it. */
export interface Directive {
  readonly id?: string;
  readonly ttft_ms?: number;
  readonly tps?: number;
  readonly tokens?: number;
  readonly text?: string;
  readonly reasoning_tokens?: number;
  readonly tool_calls?: readonly { readonly name: string; readonly arguments?: string }[];
  readonly usage?: boolean | Readonly<Record<string, unknown>>;
  readonly finish?: string;
  readonly status?: number;
  readonly retry_after?: string;
  readonly hang?: 'headers' | 'body' | 'midstream';
  readonly garbage?: string;
  readonly cut_after?: number;
  /** Only the first so many calls of this id at one provider go wrong; without another failure they answer 500. */
  readonly fail_first?: number;
  /** Only this provider goes wrong. */
  readonly only_on?: string;
}

const MARKER = '@sim ';

/** What each model does by itself. `sim/flaky` fails every second of its calls. */
const BY_MODEL: Readonly<Record<string, Directive>> = {
  'sim/fast': { tokens: 16 },
  'sim/slow': { ttft_ms: 200, tps: 20, tokens: 60 },
  'sim/tools': { tokens: 8 },
  'sim/reasoner': { tokens: 24, reasoning_tokens: 12 },
  'sim/no-usage': { tokens: 16, usage: false },
  'sim/flaky': { tokens: 16 },
  'sim/down': { status: 503 },
  'sim/small': { tokens: 8 },
};

/** `calls` counts calls of one model or one id at this provider, this call included. */
export function behaviourOf(request: ChatRequest, provider: string, calls: (name: string) => number): Behaviour {
  const model = request.model ?? '';
  const own = BY_MODEL[model] ?? byFlaws(request);
  const asked = directiveIn(request);
  const directive = asked === null ? own : { ...own, ...asked };
  const wish = directive.tokens ?? 16;
  const ceiling = request.max_completion_tokens ?? request.max_tokens ?? Number.POSITIVE_INFINITY;
  return {
    id: directive.id ?? null,
    ttftMs: directive.ttft_ms ?? 0,
    tokensPerSecond: directive.tps ?? 0,
    tokens: Math.max(0, Math.min(wish, ceiling)),
    text: directive.text ?? null,
    reasoningTokens: directive.reasoning_tokens ?? 0,
    toolCalls: directive.tool_calls ?? null,
    usage: directive.usage ?? true,
    finish: directive.finish ?? (wish > ceiling ? 'length' : null),
    failure: failureOf(directive, { model, provider, calls }),
  };
}

/** A flawed model thinks before it answers, or refuses the request as wrong. */
function byFlaws(request: ChatRequest): Directive {
  const flaws = flawsOf(request.model ?? '');
  const effort = request.reasoning_effort ?? 'none';
  if (flaws.has('rejects-effort') && effort !== 'none') return { status: 400 };
  return flaws.size > 0 ? { tokens: 8, reasoning_tokens: flaws.has('never-thinks') ? 0 : 4 } : {};
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

/** Null without the marker. A directive that is no JSON is the caller's mistake and throws. */
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
