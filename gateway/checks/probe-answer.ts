import type { ProviderAttempt } from '../providers/adapter.ts';
import { ProviderFailure } from '../providers/provider-failure.ts';
import type { Turn } from '../terms/turn.ts';
import type { FinishReason, TurnEvent } from '../terms/turn-event.ts';

/** Answers to checks are short; a longer one is invalid. */
const CHARACTERS_MAX = 64 * 1024;

/** A summary of the whole answer to a check. */
export interface ProbeAnswer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly refused: boolean;
  /** The answer contains reasoning, readable or encrypted. */
  readonly thoughts: boolean;
  /** As reported; null if not reported. */
  readonly reasoningTokens: number | null;
  readonly finish: FinishReason | null;
}

interface Draft {
  text: string;
  calls: { name: string; arguments: string }[];
  byIndex: Map<number, { name: string; arguments: string }>;
  refused: boolean;
  thoughts: boolean;
  finish: FinishReason | null;
}

/** Reads an answer to its end. Rejects with `ProviderFailure`. */
export async function readProbeAnswer(attempt: ProviderAttempt): Promise<ProbeAnswer> {
  const draft: Draft = { text: '', calls: [], byIndex: new Map(), refused: false, thoughts: false, finish: null };
  let characters = 0;
  for (let events = await attempt.read(); events !== null; events = await attempt.read()) {
    for (const event of events) {
      add(draft, event);
      characters += 'text' in event ? event.text.length : 'arguments' in event ? event.arguments.length : 1;
    }
    if (characters > CHARACTERS_MAX) throw new ProviderFailure('garbage', 'an endless answer', attempt.status);
  }
  const { text, calls, refused, thoughts, finish } = draft;
  return { text, calls, refused, thoughts, reasoningTokens: attempt.usage.reasoningTokens ?? null, finish };
}

function add(draft: Draft, event: TurnEvent): void {
  switch (event.type) {
    case 'text-delta':
      draft.text += event.text;
      break;
    case 'refusal-delta':
      draft.refused = true;
      break;
    case 'reasoning-delta':
    case 'reasoning-detail':
      draft.thoughts = true;
      break;
    case 'tool-start': {
      const call = { name: event.name, arguments: '' };
      draft.calls.push(call);
      draft.byIndex.set(event.index, call);
      break;
    }
    case 'tool-delta': {
      const call = draft.byIndex.get(event.index);
      if (call) call.arguments += event.arguments;
      break;
    }
    case 'finish':
      draft.finish = event.reason;
      break;
    default:
  }
}

/** A turn of one short question, without a caller and without a conversation. */
export function question(model: string, text: string, members: Partial<Turn> = {}): Turn {
  return {
    kind: 'conversation',
    models: [model],
    messages: [{ role: 'user', text }],
    stream: false,
    sampling: {},
    preferences: { allowFallbacks: false },
    ...members,
  };
}
