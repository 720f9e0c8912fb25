import type { Answer } from '../../actor/answer.ts';
import type { Change } from '../../actor/cascade/cell.ts';
import type { Output, PendingCommit } from '../../actor/cascade/pending-commit.ts';
import type { EngineHost } from '../engine.ts';
import type { Entry } from './entry.ts';

/**
 * The only path for outputs: an answer or a publication is released when every entry it depends on is durable, and
 * never before. A receiver that throws is logged and does not affect the engine.
 */
export class OutputGate {
  private readonly host: EngineHost;

  constructor(host: EngineHost) {
    this.host = host;
  }

  /** Releases an output as soon as `depends` is durable; immediately for null. */
  pass(output: Output, depends: PendingCommit | null): void {
    if (depends === null) this.leave(output);
    else depends.attach(output);
  }

  /** The entry is durable. */
  open(entry: Entry): void {
    // An entry written at hand-over has no step.
    for (const change of entry.changes) if (change.event !== '') this.show(change);
    this.leave(entry);
    for (const output of entry.outputs ?? []) this.leave(output);
  }

  /** Shows the volatile steps that changed their actor's state, such as the health of an endpoint. */
  showVolatile(changes: readonly Change[]): void {
    for (const change of changes) if (change.from !== change.to) this.show(change);
  }

  /** The entry never becomes durable: answers every waiting caller with the reason and publishes nothing. */
  refuse(entry: Entry, answer: Answer): void {
    this.answer(entry.answer, answer);
    for (const output of entry.outputs ?? []) this.answer(output.answer, answer);
  }

  answer(receiver: ((answer: Answer) => void) | null, answer: Answer): void {
    if (receiver === null) return;
    try {
      receiver(answer);
    } catch (error) {
      this.host.log({ level: 'error', message: 'an answer callback threw', error: String(error) });
    }
  }

  private show({ cell: { address, shard }, version, at, event, from, to }: Change): void {
    const { watchers } = this.host;
    if (watchers === undefined) return;
    try {
      if (!watchers.isWatched(address)) return;
      watchers.committed({ address, version, at, event, from, to, epoch: shard.epoch, node: shard.node });
    } catch (error) {
      this.host.log({ level: 'error', message: 'the watch callback threw', address, error: String(error) });
    }
  }

  private leave(output: Output): void {
    for (const value of output.publishes) {
      try {
        this.host.published(value);
      } catch (error) {
        this.host.log({
          level: 'error',
          message: 'the publish callback threw',
          address: value.address,
          error: String(error),
        });
      }
    }
    this.answer(output.answer, output.reply);
  }
}
