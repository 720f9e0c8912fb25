import { appendFileSync } from 'node:fs';

/** The history of the clients, one line per event. Times are monotonic ms of the client process. */
export type HistoryEntry =
  | {
      readonly type: 'invoke';
      readonly op: number;
      readonly at: number;
      readonly wallAt: number;
      /** Sent as `user` and in the provider's directive: joins history, provider log and generation row. */
      readonly nonce: string;
      readonly account: string;
      readonly key: string;
      readonly model: string;
      readonly stream: boolean;
      /** The expected outcome: `ok` outside a fault window, a refusal, or a broken stream. */
      readonly expects: 'ok' | 'refused' | 'broken' | 'any';
    }
  /** A whole answer with its price. `cost` holds the digits unchanged. */
  | {
      readonly type: 'ok';
      readonly op: number;
      readonly at: number;
      readonly generation: string;
      readonly cost: string | null;
      readonly provider: string;
      /** False if chunks are missing, doubled or from two calls. */
      readonly textIntact: boolean;
      /** `[DONE]` markers seen; 1 for an answer in one piece. */
      readonly endings: number;
      /** Violations of the stream's grammar; absent or empty if there are none. */
      readonly breaches?: readonly string[];
    }
  /** A definite refusal or failure. `delivered`: part of the answer had arrived (error inside a stream). */
  | {
      readonly type: 'fail';
      readonly op: number;
      readonly at: number;
      readonly status: number;
      readonly errorType: string | null;
      readonly generation: string | null;
      readonly delivered: boolean;
      readonly endings: number;
      readonly breaches?: readonly string[];
    }
  /** The outcome is unknown: reset, cut, time-out, or the client left. Either outcome is allowed. */
  | {
      readonly type: 'unknown';
      readonly op: number;
      readonly at: number;
      readonly generation: string | null;
      readonly reason: string;
      /** The client left on its own in the middle of an answer of which it had received a part. */
      readonly left?: true;
      readonly breaches?: readonly string[];
    };

type Invocation = Extract<HistoryEntry, { type: 'invoke' }>;
export type Outcome = Exclude<HistoryEntry, Invocation>;

/** One request with its outcome; null if the run stopped before. */
export interface Operation {
  readonly invoke: Invocation;
  readonly outcome: Outcome | null;
}

export function appendHistory(file: string, entries: readonly HistoryEntry[]): void {
  appendFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

/** Pairs invocations with their outcomes. Throws for an outcome without an invocation, a defect of the recorder. */
export function operations(history: readonly HistoryEntry[]): readonly Operation[] {
  const open = new Map<number, { invoke: Invocation; outcome: Outcome | null }>();
  for (const entry of history) {
    if (entry.type === 'invoke') {
      open.set(entry.op, { invoke: entry, outcome: null });
      continue;
    }
    const operation = open.get(entry.op);
    if (operation === undefined || operation.outcome !== null)
      throw new Error(`operation ${entry.op} has an outcome without an open invocation`);
    operation.outcome = entry;
  }
  return [...open.values()];
}
