import type { BatchEvidence, BatchSeen } from './batch-evidence.ts';
import { follows, shown } from './batch-status.ts';
import type { BatchJoined } from './batches-joined.ts';
import { type Check, Checking } from './check.ts';

/** What a follower receives about a batch never goes back. An event may be repeated. */
export function eventsFollow({ seen = [] }: BatchEvidence): Check {
  const check = new Checking('rule B52', 'the events of a batch never go back');
  for (const { events } of seen) {
    const last = new Map<string, BatchSeen>();
    for (const event of events) {
      const before = last.get(event.id);
      const holds = before === undefined || follows(before, event);
      check.expect(holds, () => `${event.id} at ${event.at}: ${shown(event)} behind ${shown(before as BatchSeen)}`);
      last.set(event.id, event);
    }
  }
  return check.done();
}

/** An event is durable before it is sent: whoever reads the batch afterwards finds it at least as far. */
export function eventsAreDurable({ seen = [] }: BatchEvidence, batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B53', 'no event precedes its commit');
  const polls = new Map(batches.map((batch) => [batch.submission.id, batch.polls]));
  for (const event of seen.flatMap(({ events }) => events)) {
    for (const poll of polls.get(event.id) ?? []) {
      if (poll.at < event.at) continue;
      check.expect(follows(event, poll), () => `${event.id}: event ${shown(event)}, read later ${shown(poll)}`);
    }
  }
  return check.done();
}

/** A follower of the account misses no batch, and receives the end of each. */
export function eventsAreComplete({ seen = [] }: BatchEvidence, batches: readonly BatchJoined[]): Check {
  const check = new Checking('rule B54', 'a follower misses no batch and no end, whatever node dies');
  for (const { account, events } of seen) {
    const last = new Map(events.map((event) => [event.id, event]));
    for (const { submission, end } of batches) {
      if (end === null || submission.account !== account) continue;
      const event = last.get(submission.id);
      const holds = event !== undefined && event.status === end.status && follows(end, event);
      check.expect(holds, () => `${submission.id}: ends ${shown(end)}, followed ${event ? shown(event) : 'never'}`);
    }
  }
  return check.done();
}
