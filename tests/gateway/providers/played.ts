import { systemClock } from '../../../actors/runtime/index.ts';
import type { OutboundReply } from '../../../gateway/outbound/outbound.ts';
import type { OutboundError } from '../../../gateway/outbound/outbound-error.ts';
import type { ProviderAttempt } from '../../../gateway/providers/adapter.ts';
import type { StreamSharing } from '../../../gateway/providers/call/stream-attempt.ts';
import { ProviderFailure } from '../../../gateway/providers/provider-failure.ts';
import type { ReplySharing } from '../../../gateway/providers/read-reply.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';

/** Room for every reply. */
export const UNSHARED: ReplySharing & StreamSharing = {
  clock: systemClock,
  bodyBytesMax: 16 * 1024 * 1024,
  room: async () => () => {},
  streamShare: () => null,
};

interface Played extends OutboundReply {
  aborted: boolean;
  progress: number;
}

/** An answer of the given chunks; `end` null is a clean end of the connection. */
export function played(chunks: readonly Uint8Array[], end: OutboundError | null = null): Played {
  const waiting = [...chunks];
  const reply: Played = {
    status: 200,
    header: () => null,
    aborted: false,
    progress: 0,
    body: {
      read: async () => {
        const next = waiting.shift();
        if (next) return [next];
        if (end) throw end;
        return null;
      },
      text: async () => Buffer.concat(chunks).toString(),
      progressed: () => {
        reply.progress++;
      },
      abort: () => {
        reply.aborted = true;
      },
    },
  };
  return reply;
}

export async function eventsOf(attempt: ProviderAttempt): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for (let batch = await attempt.read(); batch !== null; batch = await attempt.read()) events.push(...batch);
  return events;
}

/** The failure of reading it to the end; throws if there is none. */
export async function failureOfReading(attempt: ProviderAttempt): Promise<ProviderFailure> {
  try {
    await eventsOf(attempt);
  } catch (error) {
    if (error instanceof ProviderFailure) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/** Joins adjacent pieces of text, so that the split positions of a transcript do not matter. */
export function joined(events: readonly TurnEvent[]): TurnEvent[] {
  const whole: TurnEvent[] = [];
  for (const event of events) {
    const last = whole.at(-1);
    if (event.type === 'text-delta' && last?.type === 'text-delta') {
      whole[whole.length - 1] = { type: 'text-delta', text: last.text + event.text };
    } else whole.push(event);
  }
  return whole;
}
