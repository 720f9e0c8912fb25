import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Cluster, Json } from '../../../../actors/runtime/index.ts';
import type { FeedEventRow } from '../../../../actors/terms/feed-event.ts';
import { AccountFeeds } from '../../../../gateway/edge/events/account-feeds.ts';
import type { FeedEvent } from '../../../../gateway/edge/events/feed-event.ts';
import type { EventSink, Subscription } from '../../../../gateway/edge/events/subscription.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { HandClock } from '../../../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const CALLER = { account: 'account:a', key: 'key:a/k', kind: 'inference' } as const;
const ALL = { types: null, ids: null };

/** A cluster with one account, whose rows and notices the test makes. */
function stage(limits = { streamsMax: 4, streamsPerAccountMax: 3, streamsPerKeyMax: 2, bufferBytesMax: 1_000 }) {
  const clock = new HandClock();
  const rows = new Map<string, FeedEventRow>();
  const seers = new Set<(address: string | null) => void>();
  let failing = false;
  let silent = false;
  let reads = 0;
  let beforeRead: () => Promise<void> = async () => {};
  const view: Record<string, Json> = { status: 'open', charges: '0' };
  const cluster = {
    now: () => clock.now(),
    changes: {
      watch(_: string, see: (address: string | null) => void) {
        seers.add(see);
        return () => seers.delete(see);
      },
    },
    rows: {
      async rows({ after }: { after: { sort: number } }) {
        reads++;
        await beforeRead();
        if (failing) throw new Error('the store is out of reach');
        const found = [...rows.values()].filter(({ at }) => at > after.sort).sort((x, y) => x.at - y.at);
        return found.map((row) => ({ id: row.id, sort: row.at, body: JSON.stringify(row) }));
      },
    },
    async ask(to: string) {
      if (silent && to.startsWith('account:')) throw new Error('the account does not answer');
      return to.startsWith('account:') ? { ...view } : { status: 'active', expiresAt: null };
    },
  } as unknown as Cluster;
  const feeds = new AccountFeeds({ cluster, clock, askMs: 1_000 }, limits);
  const change = (id: string, type: FeedEventRow['type'] = 'file.stored', at = clock.now()): void => {
    rows.set(id, { id, account: 'a', type, at, object: {} });
  };
  const notice = (address: string | null): void => {
    for (const see of seers) see(address);
  };
  const follow = async (cursorAt: number | null = null) => {
    const [events, ends]: [FeedEvent[], GatewayError[]] = [[], []];
    const sink: EventSink = {
      holdsRequest: true,
      receive: (more) => events.push(...more),
      end: (error) => ends.push(error),
    };
    const subscription = await feeds.subscribe(CALLER, ALL, sink);
    const resumed = await subscription.start(cursorAt);
    return { events, ends, subscription, resumed };
  };
  const fail = (value: boolean): void => {
    failing = value;
  };
  const silence = (value: boolean): void => {
    silent = value;
  };
  const onRead = (run: () => Promise<void>): void => {
    beforeRead = run;
  };
  return { onRead, clock, feeds, change, notice, follow, fail, silence, view, seers, reads: () => reads };
}

const idsOf = (events: readonly FeedEvent[]) =>
  events.map((event) => (event.type === 'balance.updated' ? 'balance' : event.change.id));

it('a row that becomes visible after a later one is sent, and none is sent twice', async () => {
  const { clock, change, notice, follow } = stage();
  const { events } = await follow();
  await clock.advance(10_000);
  change('f2');
  notice('file:a/f2');
  await clock.advance(50);
  change('f1', 'file.stored', clock.now() - 5_000);
  notice('file:a/f1');
  notice('file:a/f2');
  await clock.advance(50);
  assert.equal(idsOf(events), ['f2', 'f1']);
});

it('notices that follow each other closely cause one read, and continuous ones do not delay it', async () => {
  const { clock, change, notice, follow, reads } = stage();
  const { events } = await follow();
  const before = reads();
  change('f1');
  for (let i = 0; i < 10; i++) notice('file:a/f1');
  await clock.advance(20);
  assert.is(reads() - before, 1);
  change('f2');
  for (let ms = 0; ms < 40; ms += 10) {
    notice('file:a/f2');
    await clock.advance(10);
  }
  assert.equal(idsOf(events), ['f1', 'f2']);
});

it('a change is sent as soon as its notice comes, and one that follows it 20 ms later at most', async () => {
  const { clock, change, notice, follow } = stage();
  const { events } = await follow();
  change('f1');
  notice('file:a/f1');
  await clock.advance(0);
  assert.equal(idsOf(events), ['f1']);
  change('f2');
  notice('file:a/f2');
  await clock.advance(19);
  assert.equal(idsOf(events), ['f1']);
  await clock.advance(1);
  assert.equal(idsOf(events), ['f1', 'f2']);
});

it('a notice while a feed opens sends nothing that came before', async () => {
  const { clock, change, notice, follow, onRead } = stage();
  change('f1');
  let isFirst = true;
  onRead(async () => {
    if (!isFirst) return;
    isFirst = false;
    notice(null);
    await clock.advance(100);
  });
  const { events } = await follow();
  await clock.advance(100);
  assert.equal(events, []);
});

it('a failed read is repeated, and the missed change is sent', async () => {
  const { clock, change, notice, follow, fail } = stage();
  const { events } = await follow();
  fail(true);
  change('f1');
  notice('file:a/f1');
  await clock.advance(50);
  fail(false);
  assert.equal(events, []);
  await clock.advance(1_000);
  assert.equal(idsOf(events), ['f1']);
});

it('a change is sent even if the account does not answer, and the balance later', async () => {
  const { clock, change, notice, follow, silence, view } = stage();
  const { events } = await follow();
  silence(true);
  change('f1');
  view.charges = '1';
  notice(null);
  await clock.advance(50);
  assert.equal(idsOf(events), ['f1']);
  silence(false);
  await clock.advance(1_000);
  assert.equal(idsOf(events), ['f1', 'balance']);
});

it('a change without a notice is found within a minute, and the balance with it', async () => {
  const { clock, change, follow, view } = stage();
  const { events } = await follow();
  change('f1');
  view.charges = '1';
  await clock.advance(60_000);
  assert.equal(idsOf(events), ['f1', 'balance']);
});

it('a change stamped by a clock that was set back by a minute is found by the next whole reading', async () => {
  const { clock, change, notice, follow } = stage();
  const { events } = await follow();
  change('f1', 'file.stored', clock.now() + 30_000);
  notice('file:a/f1');
  await clock.advance(50);
  change('f2', 'file.stored', clock.now() - 30_000);
  notice('file:a/f2');
  await clock.advance(50);
  assert.equal(idsOf(events), ['f1']);
  await clock.advance(60_000);
  assert.equal(idsOf(events), ['f1', 'f2']);
  await clock.advance(60_000);
  assert.equal(idsOf(events), ['f1', 'f2']);
});

it('a cursor resumes for at least ten minutes, on a node that never followed the account (rule B54)', async () => {
  const { clock, change, follow } = stage();
  const at = clock.now();
  change('f1', 'file.stored', at + 1);
  await clock.advance(10 * 60_000);
  const { events, resumed, subscription } = await follow(at);
  assert.is(resumed, true);
  assert.equal(idsOf(events), ['f1']);
  subscription.close();
  await clock.advance(10 * 60_000);
  const late = await follow(at);
  assert.is(late.resumed, false);
  assert.equal(late.events, []);
});

it('a change that was read before the replay of a newer one of its object is not sent behind it (rule B52)', async () => {
  const { clock, change, notice, follow, onRead } = stage();
  const other = await follow();
  change('f1', 'file.stored');
  await clock.advance(1_000);
  // The feed reads the first change while the subscription waits for its replay, which reads the second.
  let reads = 0;
  onRead(async () => {
    if (reads++ > 0) return;
    notice('file:a/f1');
    await clock.advance(50);
    change('f1', 'file.deleted');
  });
  const { events } = await follow(clock.now() - 5_000);
  assert.equal(
    events.map(({ type }) => type),
    ['file.deleted'],
  );
  assert.equal(idsOf(other.events), ['f1'], 'the feed itself had read the first');
});

it('streams are bounded per key, per account and per node, and a closed one gives its place back (rule B56)', async () => {
  const { feeds, follow, seers } = stage();
  const sink: EventSink = { holdsRequest: true, receive: () => {}, end: () => {} };
  const join = (key: string) =>
    feeds.subscribe({ ...CALLER, account: `account:${key[4]}`, key }, ALL, sink).catch((error: GatewayError) => error);
  const [first] = [await follow(), await follow()];
  const third = await follow().catch((error: GatewayError) => error);
  const ofKey = 'A key has at most 2 event streams open at once on one node';
  assert.equal([(third as GatewayError).status, (third as GatewayError).message], [429, ofKey]);
  const last = (await join('key:a/k2')) as Subscription;
  const ofAccount = 'An account has at most 3 event streams open at once on one node';
  for (const key of ['key:a/k2', 'key:a/k3', 'key:a/k3', 'key:a/k3']) {
    const refused = (await join(key)) as GatewayError;
    assert.equal([refused.status, refused.message], [429, ofAccount]);
    assert.equal([refused.metadata, refused.headers], [{ limit: 3 }, { 'retry-after': '1' }]);
  }
  assert.is(seers.size, 1, 'one feed serves all clients of an account');
  assert.not.instance(await join('key:b/k'), GatewayError, 'another account has its own part');
  assert.is(((await join('key:c/k')) as GatewayError).status, 503, 'the node is full');
  last.close();
  const again = (await join('key:a/k3')) as Subscription;
  again.close();
  first?.subscription.close();
  first?.subscription.close();
  await follow();
  assert.is(feeds.size, 3);
});

it('the last client of an account ends its feed', async () => {
  const { clock, follow, seers } = stage();
  const { subscription } = await follow();
  subscription.close();
  assert.is(seers.size, 0);
  await clock.advance(120_000);
  assert.is(clock.armed, 0);
});

it('a drain ends every stream with the restart error and refuses new ones', async () => {
  const { feeds, follow } = stage();
  const { ends } = await follow();
  feeds.endAll();
  assert.is(ends[0]?.status, 503);
  assert.is(feeds.size, 0);
  const refused = await follow().catch((error: GatewayError) => error);
  assert.is((refused as GatewayError).status, 503);
});

it('a feed that cannot be read is refused and leaves nothing open', async () => {
  const { feeds, follow, fail, seers } = stage();
  fail(true);
  const failure = await follow().catch((error: Error) => error);
  assert.match(String(failure), /out of reach/);
  assert.is(feeds.size, 0);
  assert.is(seers.size, 0);
});

test.run();
