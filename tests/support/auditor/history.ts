import { appendFileSync } from 'node:fs';

/** What one client did and saw, one line per moment. Times are monotonic ms of the client process. */
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
      /** What the workload meant to happen; `ok` outside a fault window, or a status, or a broken stream. */
      readonly expects: 'ok' | 'refused' | 'broken' | 'any';
    }
  /** A whole answer with its price. `cost` holds the digits exactly as they came. */
  | {
      readonly type: 'ok';
      readonly op: number;
      readonly at: number;
      readonly generation: string;
      readonly cost: string | null;
      readonly provider: string;
      /** False when chunks were missing, doubled or of two calls. */
      readonly textIntact: boolean;
      /** `[DONE]` markers seen; 1 for an answer in one piece. */
      readonly endings: number;
      /** Breaches of the stream's grammar, in words; absent or empty when there were none. */
      readonly breaches?: readonly string[];
    }
  /** A definite refusal or failure. `delivered`: something of the answer had arrived (error inside a stream). */
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
  /** Nobody said how it ended: reset, cut, time-out, or the client itself left. Either outcome is allowed. */
  | {
      readonly type: 'unknown';
      readonly op: number;
      readonly at: number;
      readonly generation: string | null;
      readonly reason: string;
      /** The client went away by its own choice, in the middle of an answer of which it had seen something. */
      readonly left?: true;
      readonly breaches?: readonly string[];
    };

export type Invocation = Extract<HistoryEntry, { type: 'invoke' }>;
export type Outcome = Exclude<HistoryEntry, Invocation>;

/** One request with its end; no end when the run stopped before. */
export interface Operation {
  readonly invoke: Invocation;
  readonly outcome: Outcome | null;
}

export function appendHistory(file: string, entries: readonly HistoryEntry[]): void {
  appendFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

/** Pairs invocations with their ends. Throws on an end without its beginning: the recorder is broken then. */
export function operations(history: readonly HistoryEntry[]): readonly Operation[] {
  const open = new Map<number, { invoke: Invocation; outcome: Outcome | null }>();
  for (const entry of history) {
    if (entry.type === 'invoke') {
      open.set(entry.op, { invoke: entry, outcome: null });
      continue;
    }
    const operation = open.get(entry.op);
    if (operation === undefined || operation.outcome !== null) throw new Error(`operation ${entry.op} ends oddly`);
    operation.outcome = entry;
  }
  return [...open.values()];
}
