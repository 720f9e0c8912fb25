import type { TurnEvent } from '../../terms/turn-event.ts';

export type Finish = Extract<TurnEvent, { type: 'finish' }>;

/** How an answer ended. */
interface Ending {
  /** Null for an answer without a finish. */
  readonly finish: Finish | null;
  /** It had words of a refusal. */
  readonly refused: boolean;
  /** `stop_sequences` of the request. */
  readonly stops: readonly string[];
}

const WINDOW_EXCEEDED = 'model_context_window_exceeded';
const STOP_SEQUENCE = 'stop_sequence';

/** The members `stop_reason` and `stop_sequence` as JSON text. (rule I81) */
export function stopMembers(ending: Ending): string {
  const reason = reasonOf(ending);
  const sequence = reason === STOP_SEQUENCE ? matched(ending) : null;
  return `"stop_reason":"${reason}","stop_sequence":${JSON.stringify(sequence)}`;
}

function reasonOf(ending: Ending): string {
  const { finish, refused } = ending;
  switch (finish?.reason) {
    case 'length':
      return finish.native === WINDOW_EXCEEDED ? WINDOW_EXCEEDED : 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    default:
      if (refused) return 'refusal';
      return matched(ending) === null ? 'end_turn' : STOP_SEQUENCE;
  }
}

/** The sequence that the provider names, or the only one where it says that one ended the answer. */
function matched({ finish, stops }: Ending): string | null {
  const named = finish?.stopSequence;
  if (named !== undefined && stops.includes(named)) return named;
  return finish?.native === STOP_SEQUENCE && stops.length === 1 ? (stops[0] as string) : null;
}
