import type { Answer } from '../../actor/answer.ts';
import type { Change } from '../../actor/cascade/cell.ts';
import type { Outcome, TimerWrite, Trim } from '../../actor/cascade/outcome.ts';
import type { Output, PendingCommit, Publish } from '../../actor/cascade/pending-commit.ts';
import type { RowWrite } from '../../actor/cascade/row-cache.ts';
import type { Shard } from '../shard.ts';

/**
 * The writes of one cascade and the outputs released once they are durable. It holds references: nothing is serialized
 * until its batch is built.
 */
export class Entry implements PendingCommit, Output {
  readonly order: number;
  readonly shard: Shard;
  readonly changes: readonly Change[];
  readonly rows: readonly RowWrite[];
  readonly timers: readonly TimerWrite[];
  readonly publishes: readonly Publish[];
  readonly trims: readonly Trim[];
  readonly outgoing: boolean;
  readonly answer: ((answer: Answer) => void) | null;
  readonly reply: Answer;
  /** Further outputs that depend on this entry; null while there are none. */
  outputs: Output[] | null = null;
  /** True once its batch was submitted to the store. */
  handed = false;

  constructor(
    order: number,
    shard: Shard,
    outcome: Pick<Outcome, 'changes' | 'rows' | 'timers' | 'publishes' | 'trims' | 'outgoing'>,
    answer: ((answer: Answer) => void) | null,
    reply: Answer,
  ) {
    this.order = order;
    this.shard = shard;
    this.changes = outcome.changes;
    this.rows = outcome.rows;
    this.timers = outcome.timers;
    this.publishes = outcome.publishes;
    this.trims = outcome.trims;
    this.outgoing = outcome.outgoing;
    this.answer = answer;
    this.reply = reply;
  }

  attach(output: Output): void {
    this.outputs ??= [];
    this.outputs.push(output);
  }
}
