import type { Answer } from '../../actor/answer.ts';
import type { Output, PendingCommit } from '../../actor/pending-commit.ts';
import type { EngineHost } from '../engine/engine.ts';
import type { Entry } from './entry.ts';

/**
 * The one way out: an answer or a publication leaves when every entry it depends on is durable, and never before. A
 * receiver that throws is logged and cannot harm the engine.
 */
export class OutputGate {
  private readonly host: EngineHost;

  constructor(host: EngineHost) {
    this.host = host;
  }

  /** Lets an output leave as soon as `depends` is durable; null: now. */
  pass(output: Output, depends: PendingCommit | null): void {
    if (depends === null) this.leave(output);
    else depends.attach(output);
  }

  /** The entry is durable. */
  open(entry: Entry): void {
    this.leave(entry);
    for (const output of entry.outputs ?? []) this.leave(output);
  }

  /** The entry never will be: everybody who waits for it is told why; nothing is published. */
  refuse(entry: Entry, answer: Answer): void {
    this.tell(entry.answer, answer);
    for (const output of entry.outputs ?? []) this.tell(output.answer, answer);
  }

  tell(receiver: ((answer: Answer) => void) | null, answer: Answer): void {
    if (receiver === null) return;
    try {
      receiver(answer);
    } catch (error) {
      this.host.log({ level: 'error', message: 'a receiver of answers threw', error: String(error) });
    }
  }

  private leave(output: Output): void {
    for (const value of output.publishes) {
      try {
        this.host.published(value);
      } catch (error) {
        this.host.log({ level: 'error', message: 'the board threw', address: value.address, error: String(error) });
      }
    }
    this.tell(output.answer, output.reply);
  }
}
