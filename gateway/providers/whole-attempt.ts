import type { OutboundReply } from '../outbound/outbound.ts';
import { isEmpty } from '../terms/exact-decimal.ts';
import type { TurnEvent } from '../terms/turn-event.ts';
import type { Usage } from '../terms/usage.ts';
import type { ProviderAttempt, ReplyReader } from './adapter.ts';
import { failureOf } from './failure-of.ts';
import { ProviderFailure } from './provider-failure.ts';
import { type ReplySharing, readReply } from './read-reply.ts';

/** An answer in one piece: the first read returns all of it, the next one the end. */
export class WholeAttempt implements ProviderAttempt {
  readonly status: number;
  readonly #reply: OutboundReply;
  readonly #reader: ReplyReader;
  readonly #sharing: ReplySharing;
  #delivered = false;

  constructor(reply: OutboundReply, reader: ReplyReader, sharing: ReplySharing) {
    this.status = reply.status;
    this.#reply = reply;
    this.#reader = reader;
    this.#sharing = sharing;
  }

  get upstreamId(): string | null {
    return this.#reader.upstreamId;
  }

  get usage(): Usage {
    return this.#reader.usage;
  }

  async read(): Promise<readonly TurnEvent[] | null> {
    if (this.#delivered) return null;
    try {
      const events: TurnEvent[] = [];
      this.#reader.readWhole(await readReply(this.#reply, this.#sharing), events);
      if (!this.#reader.finished) throw new ProviderFailure('garbage', 'the answer has no finish reason', this.status);
      const { usage } = this.#reader;
      if (!isEmpty(usage)) events.push({ type: 'usage', usage });
      this.#delivered = true;
      return events;
    } catch (error) {
      throw failureOf(error, this.status);
    }
  }

  abort(): void {
    this.#reply.body.abort();
  }
}
