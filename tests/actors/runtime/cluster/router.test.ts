import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from '../../../../actors/runtime/actor/answer.ts';
import type { PeerOrigin } from '../../../../actors/runtime/cluster/peers.ts';
import { Router } from '../../../../actors/runtime/cluster/router.ts';
import { ShardMap } from '../../../../actors/runtime/cluster/shards/shard-map.ts';
import type { Delivery, Engine } from '../../../../actors/runtime/durable/engine.ts';
import { AskError, shardOf } from '../../../../actors/runtime/index.ts';
import type { Clock } from '../../../../actors/runtime/ports/clock.ts';
import type { Envelope, Link } from '../../../../actors/runtime/ports/transport.ts';
import { systemClock } from '../../../../actors/runtime/system/clock.ts';
import config from '../../../../cluster.config.ts';
import { bounded } from '../../../support/bounded.ts';
import { HandClock } from '../durable/hand-clock.ts';

const it = bounded(test);
const TO = 'tally:a';
const SHARD = shardOf(TO, 256);
const EVENT = { type: 'tally.add', by: 1 };

/** A link that records what it sends. */
class FakeLink implements Link {
  readonly peer = 'test';
  readonly sent: Envelope[] = [];
  outcome: 'queued' | 'full' | 'closed' = 'queued';
  send(envelope: Envelope): 'queued' | 'full' | 'closed' {
    if (this.outcome === 'queued') this.sent.push(envelope);
    return this.outcome;
  }
  control(): boolean {
    return true;
  }
  close(): void {}
}

interface Stage {
  readonly router: Router;
  readonly map: ShardMap;
  readonly delivered: { readonly delivery: Delivery; readonly answer: ((answer: Answer) => void) | null }[];
  epoch: number | null;
}

function stage(limits: Partial<typeof config.runtime> = {}, clock: Clock = systemClock): Stage {
  const delivered: Stage['delivered'] = [];
  const engine = {
    epochOf: () => it.epoch,
    deliver: (delivery: Delivery, answer: ((answer: Answer) => void) | null) => delivered.push({ delivery, answer }),
  } as unknown as Engine;
  const map = new ShardMap(256, (shard) => it.router.wake(shard));
  const router = new Router({
    ...{ self: 'self', engine, map, clock, limits: { ...config.runtime, ...limits }, log: () => {} },
  });
  const it: Stage = { router, map, delivered, epoch: null };
  return it;
}

async function failure(promise: Promise<unknown>): Promise<AskError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof AskError) return error;
    throw error;
  }
  throw new Error('it was answered');
}

const reply = (id: number, body: unknown): Envelope => ({
  ...{ kind: 'reply', id, to: '', body: JSON.stringify(body), remainingMs: 0, trace: '' },
});
const refusal = (id: number, body: unknown): Envelope => ({ ...reply(id, body), kind: 'failure' });
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

it('an ask to an own shard goes to the engine unchanged', async () => {
  const s = stage();
  s.epoch = 3;
  const answer = s.router.ask(TO, EVENT, { withinMs: 1_000, trace: 't' });
  assert.is(s.delivered[0]?.delivery.event, EVENT);
  assert.is(s.delivered[0]?.delivery.trace, 't');
  s.delivered[0]?.answer?.({ ok: true, body: { sum: 1 } });
  assert.equal(await answer, { sum: 1 });
  s.router.close();
});

it('a body of a peer that is no event is answered as a failure', () => {
  const { router, delivered } = stage();
  const link = new FakeLink();
  const bodies = ['null', '1', '"text"', '{}', '{"type": 1}', '{'];
  const asks = bodies.map((body, id): Envelope => ({ kind: 'ask', id, to: TO, body, remainingMs: 1_000, trace: '' }));
  router.receive({ link, incarnation: 'other' } as unknown as PeerOrigin, asks);
  assert.is(delivered.length, 0);
  assert.equal(
    link.sent.map(({ kind, id }) => [kind, id]),
    bodies.map((_, id) => ['failure', id]),
  );
  router.close();
});

it('an ask to another node carries the rest of its deadline, and its answer is matched by id', async () => {
  const clock = new HandClock();
  const { router, map } = stage({}, clock);
  const link = new FakeLink();
  router.linkUp('other', link);
  const first = router.ask(TO, EVENT, { withinMs: 700, trace: 'trace' });
  await clock.advance(100);
  map.learn({ shard: SHARD, owner: 'other', epoch: 1 });
  const second = router.ask(TO, EVENT, { withinMs: 700 });
  const [a, b] = link.sent as [Envelope, Envelope];
  assert.equal(
    { ...a, remainingMs: 0 },
    { ...a, kind: 'ask', to: TO, body: JSON.stringify(EVENT), remainingMs: 0, trace: 'trace' },
  );
  assert.equal([a.remainingMs, b.remainingMs], [600, 700]);
  assert.ok(a.id !== b.id);
  router.answered('other', [reply(b.id, 2), reply(a.id, 1), reply(99, 0)]);
  assert.equal([await first, await second], [1, 2]);
  router.close();
});

it('an ask to a shard between owners waits for the new owner', async () => {
  const { router, map } = stage();
  const link = new FakeLink();
  router.linkUp('other', link);
  const answer = router.ask(TO, EVENT, { withinMs: 2_000 });
  await turn();
  assert.is(link.sent.length, 0);
  map.learn({ shard: SHARD, owner: 'other', epoch: 4 });
  router.answered('other', [reply(link.sent[0]?.id ?? 0, 'here')]);
  assert.is(await answer, 'here');
  router.close();
});

it('an ask that expires while waiting has certainly not happened, one in flight may have', async () => {
  const { router, map } = stage();
  const waiting = await failure(router.ask(TO, EVENT, { withinMs: 30 }));
  assert.equal(waiting.failure, { code: 'moved', owner: null, epoch: -1 });
  assert.is(waiting.mayHaveHappened, false);
  const link = new FakeLink();
  router.linkUp('other', link);
  map.learn({ shard: SHARD, owner: 'other', epoch: 1 });
  const flying = await failure(router.ask(TO, EVENT, { withinMs: 30 }));
  assert.equal(flying.failure, { code: 'expired' });
  assert.is(flying.mayHaveHappened, true);
  router.close();
});

it('an own shard that never answers expires too, and a late answer is ignored', async () => {
  const s = stage();
  s.epoch = 1;
  assert.is((await failure(s.router.ask(TO, EVENT, { withinMs: 20 }))).failure.code, 'expired');
  s.delivered[0]?.answer?.({ ok: true, body: 1 });
  s.router.close();
});

it('moved is followed to a higher epoch only', async () => {
  const { router, map } = stage();
  const [old, next] = [new FakeLink(), new FakeLink()];
  router.linkUp('old', old);
  router.linkUp('next', next);
  map.learn({ shard: SHARD, owner: 'old', epoch: 5 });
  const answer = router.ask(TO, EVENT, { withinMs: 2_000 });
  router.answered('old', [refusal(old.sent[0]?.id ?? 0, { code: 'moved', owner: 'next', epoch: 5 })]);
  assert.is(next.sent.length, 0);
  assert.is(map.ownerOf(SHARD), 'old');
  while (old.sent.length < 2) await turn();
  router.answered('old', [refusal(old.sent[1]?.id ?? 0, { code: 'moved', owner: 'next', epoch: 6 })]);
  assert.is(next.sent.length, 1);
  router.answered('next', [reply(next.sent[0]?.id ?? 0, 'there')]);
  assert.is(await answer, 'there');
  router.close();
});

it('a lost link answers lost for written asks and sends the others elsewhere', async () => {
  const { router, map } = stage();
  const link = new FakeLink();
  router.linkUp('other', link);
  map.learn({ shard: SHARD, owner: 'other', epoch: 1 });
  const written = failure(router.ask(TO, EVENT, { withinMs: 2_000 }));
  const unsent = router.ask(TO, EVENT, { withinMs: 2_000 });
  router.linkDown('other', [link.sent[1] as Envelope]);
  assert.is((await written).failure.code, 'lost');
  const again = new FakeLink();
  router.linkUp('new', again);
  map.learn({ shard: SHARD, owner: 'new', epoch: 2 });
  router.answered('new', [reply(again.sent[0]?.id ?? 0, 'rerouted')]);
  assert.is(await unsent, 'rerouted');
  assert.is(again.sent.length, 1);
  router.close();
});

it('beyond the window, and when the buffer is full, an ask is answered busy at once', async () => {
  const { router, map } = stage({ asksInFlightMax: 2 });
  const link = new FakeLink();
  router.linkUp('other', link);
  map.learn({ shard: SHARD, owner: 'other', epoch: 1 });
  const open = [1, 2].map(() => failure(router.ask(TO, EVENT, { withinMs: 2_000 })));
  assert.is((await failure(router.ask(TO, EVENT, { withinMs: 2_000 }))).failure.code, 'busy');
  router.answered('other', [refusal(link.sent[0]?.id ?? 0, { code: 'absent' })]);
  assert.is((await open[0])?.failure.code, 'absent');
  link.outcome = 'full';
  assert.is((await failure(router.ask(TO, EVENT, { withinMs: 2_000 }))).failure.code, 'busy');
  router.close();
  assert.is((await open[1])?.failure.code, 'lost');
});

it('waiting asks are bounded too', async () => {
  const { router } = stage({ asksInFlightMax: 1 });
  const waiting = failure(router.ask(TO, EVENT, { withinMs: 2_000 }));
  assert.is((await failure(router.ask(TO, EVENT, { withinMs: 2_000 }))).failure.code, 'busy');
  router.close();
  assert.is((await waiting).failure.code, 'moved');
});

it('asks of a peer are stepped here or answered moved with the known owner, and expired ones are dropped', async () => {
  const s = stage();
  const link = new FakeLink();
  const from = { incarnation: 'peer', link };
  const envelope = (id: number, remainingMs: number, kind: 'ask' | 'tell' = 'ask'): Envelope => ({
    ...{ kind, id, to: TO, body: JSON.stringify(EVENT), remainingMs, trace: 'x' },
  });
  s.map.learn({ shard: SHARD, owner: 'owner', epoch: 9 });
  s.router.receive(from, [envelope(1, 100), envelope(2, 0), envelope(0, 100, 'tell')]);
  assert.is(s.delivered.length, 2);
  assert.equal(s.delivered[0]?.delivery.event, EVENT);
  assert.is(s.delivered[1]?.answer, null);
  s.delivered[0]?.answer?.({ ok: false, failure: { code: 'moved', owner: null, epoch: 2 } });
  assert.equal(JSON.parse(link.sent[0]?.body ?? ''), { code: 'moved', owner: 'owner', epoch: 9 });
  s.router.receive(from, [{ ...envelope(3, 100), body: '{' }]);
  assert.is(JSON.parse(link.sent[1]?.body ?? '').code, 'failed');
  s.router.close();
});

it('one tick serves all waiting asks', async () => {
  let timers = 0;
  const clock = {
    ...systemClock,
    after: (ms: number, run: () => void) => {
      timers += 1;
      return systemClock.after(ms, run);
    },
  };
  const s = stage({}, clock);
  await Promise.all(Array.from({ length: 20 }, () => failure(s.router.ask(TO, EVENT, { withinMs: 250 }))));
  assert.ok(timers <= 14, `${timers} timers in ten ticks`);
  s.router.close();
});

it('a tell waits for an owner like an ask, and its end is not reported', async () => {
  const { router, map } = stage();
  router.tell(TO, EVENT);
  const link = new FakeLink();
  router.linkUp('other', link);
  map.learn({ shard: SHARD, owner: 'other', epoch: 1 });
  assert.equal(
    link.sent.map(({ kind, id }) => ({ kind, id })),
    [{ kind: 'tell', id: 0 }],
  );
  router.close();
});

it('a lost ask is sent once more if its sender marked it as repeatable', async () => {
  const { router, map } = stage();
  const [gone, next] = [new FakeLink(), new FakeLink()];
  router.linkUp('gone', gone);
  map.learn({ shard: SHARD, owner: 'gone', epoch: 1 });
  const answer = router.ask(TO, EVENT, { withinMs: 2_000, repeat: (event) => ({ ...event, repeat: true }) });
  assert.is(gone.sent.length, 1);
  router.linkDown('gone', []);
  map.learn({ shard: SHARD, owner: 'next', epoch: 2 });
  router.linkUp('next', next);
  const [again] = next.sent as [Envelope];
  assert.equal(JSON.parse(again.body), { ...EVENT, repeat: true });
  router.answered('next', [reply(again.id, 'once')]);
  assert.is(await answer, 'once');
  router.close();
});

it('a lost ask that finds no owner in time may have happened, although it waits', async () => {
  const { router, map } = stage();
  router.linkUp('gone', new FakeLink());
  map.learn({ shard: SHARD, owner: 'gone', epoch: 1 });
  const expired = failure(router.ask(TO, EVENT, { withinMs: 100, repeat: (event) => event }));
  router.linkDown('gone', []);
  assert.is((await expired).failure.code, 'expired');
  router.close();
});

it('a repeat that throws does not decide the outcome of the first ask', async () => {
  const { router, map } = stage();
  const next = new FakeLink();
  router.linkUp('gone', new FakeLink());
  map.learn({ shard: SHARD, owner: 'gone', epoch: 1 });
  const lost = failure(router.ask(TO, EVENT, { withinMs: 2_000, repeat: (event) => event }));
  router.linkDown('gone', []);
  map.learn({ shard: SHARD, owner: 'next', epoch: 2 });
  router.linkUp('next', next);
  const body = JSON.stringify({ code: 'failed', detail: 'its snapshot does not restore' });
  const id = next.sent[0]?.id ?? 0;
  router.answered('next', [{ kind: 'failure', id, to: '', body, remainingMs: 0, trace: '' }]);
  assert.is((await lost).mayHaveHappened, true);
  router.close();
});

it('a repeat that is deferred for its actor is answered so: it happens, regardless of the first', async () => {
  const { router, map } = stage();
  const next = new FakeLink();
  router.linkUp('gone', new FakeLink());
  map.learn({ shard: SHARD, owner: 'gone', epoch: 1 });
  const kept = failure(router.ask(TO, EVENT, { withinMs: 2_000, repeat: (event) => event }));
  router.linkDown('gone', []);
  map.learn({ shard: SHARD, owner: 'next', epoch: 2 });
  router.linkUp('next', next);
  const body = JSON.stringify({ code: 'quarantined', detail: 'its snapshot does not restore', deferred: true });
  const id = next.sent[0]?.id ?? 0;
  router.answered('next', [{ kind: 'failure', id, to: '', body, remainingMs: 0, trace: '' }]);
  const told = (await kept).failure;
  assert.ok(told.code === 'quarantined' && told.deferred);
  router.close();
});

test.run();
