import type { Answer } from '../../actor/answer.ts';
import type { Output, PendingCommit } from '../../actor/pending-commit.ts';
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
    this.leave(entry);
    for (const output of entry.outputs ?? []) this.leave(output);
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
