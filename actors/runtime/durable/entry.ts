import type { Answer } from '../actor/answer.ts';
import type { Change } from '../actor/cell.ts';
import type { RowWrite } from '../actor/held-rows.ts';
import type { Outcome, TimerWrite } from '../actor/outcome.ts';
import type { Output, Pending, Publish } from '../actor/pending.ts';
import type { HeldShard } from './held-shard.ts';

/**
 * What one cascade asks the store for, and what leaves once the store has it. It holds references; nothing is turned
 * into text before its batch is built.
 */
export class Entry implements Pending, Output {
  readonly order: number;
  readonly home: HeldShard;
  readonly changes: readonly Change[];
  readonly rows: readonly RowWrite[];
  readonly timers: readonly TimerWrite[];
  readonly publishes: readonly Publish[];
  readonly errands: boolean;
  readonly answer: ((answer: Answer) => void) | null;
  readonly reply: Answer;
  /** Further outputs that wait for it; null while there is none. */
  outputs: Output[] | null = null;
  /** True once it is part of a batch given to the store. */
  handed = false;

  constructor(
    order: number,
    home: HeldShard,
    outcome: Pick<Outcome, 'changes' | 'rows' | 'timers' | 'publishes' | 'errands'>,
    answer: ((answer: Answer) => void) | null,
    reply: Answer,
  ) {
    this.order = order;
    this.home = home;
    this.changes = outcome.changes;
    this.rows = outcome.rows;
    this.timers = outcome.timers;
    this.publishes = outcome.publishes;
    this.errands = outcome.errands;
    this.answer = answer;
    this.reply = reply;
  }

  attach(output: Output): void {
    this.outputs ??= [];
    this.outputs.push(output);
  }
}
