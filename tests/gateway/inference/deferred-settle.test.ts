/** The end of a hold whose account is quarantined: the runtime defers it and charges exactly once after the reload. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import { kinds } from '../../../actors/kinds.ts';
import { type ActorEvent, AskError, systemClock } from '../../../actors/runtime/index.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { openStage, SHARDS, type Stage } from '../../actors/runtime/durable/stage.ts';
import { bounded } from '../../support/bounded.ts';
import { DamagedStore } from '../../support/damaged-store.ts';
import * as words from '../../support/model/words.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { verifyLedger } from '../../support/verify-ledger.ts';
import { failing, stage } from '../stage.ts';
import { drain, openScene, sim, textOf } from './scene.ts';

const it = bounded(test);
const scene = await openScene();
test.after(() => scene.close());

/** Of a request, what its hold is ended by. */
const HOLDER = { caller: { account: ACCOUNT, key: KEY, kind: 'inference' } } as const;
const DEFERRED = 'the end of a hold is deferred because its account is quarantined';
const alarms = (logs: readonly object[]) =>
  logs.filter((log) => (log as { level: string }).level === 'error') as { message: string; generation: string }[];

/** A funded account and its key, on a store whose rows can be damaged; `now` is the engine that currently serves them. */
async function openActors() {
  const store = new DamagedStore({ clock: systemClock, shards: SHARDS });
  let now: Stage = await openStage({ store, kinds });
  for (const [to, event] of [
    [ACCOUNT, { type: 'account.create', name: 'Ada' }],
    [ACCOUNT, words.depositEvent('dep-1', '10')],
    [KEY, words.createKeyEvent()],
  ] as const) {
    await now.body(to, event as ActorEvent);
  }
  return {
    store,
    engine: () => now,
    /** Closes the node while the account's row is damaged; another node takes over. */
    damage: async () => {
      await now.close();
      store.flip(ACCOUNT);
      now = await openStage({ store, kinds });
    },
    ask: async (to: string, event: ActorEvent) => {
      const answer = await now.ask(to, event);
      if (!answer.ok) throw new AskError(to, answer.failure);
      return answer.body;
    },
    generation: async (id: string) => {
      const row = await store.row({ address: ACCOUNT, collection: 'generation', id });
      return JSON.parse(row?.body ?? 'null') as Generation;
    },
    ledger: async () => {
      const entries = await store.rows({ collection: 'ledger', address: ACCOUNT, limit: 100 });
      return entries.map(({ body }) => JSON.parse(body) as LedgerEntry);
    },
  };
}

it('a stream whose account is damaged meanwhile is delivered whole and charged exactly after the reload', async () => {
  const actors = await openActors();
  const on = stage();
  on.cluster.ask = actors.ask as typeof on.cluster.ask;
  const body = { ...sim({ tokens: 20, tps: 50 }), stream: true, max_tokens: 50 };
  const request = on.request(body, scene.onlyA);
  const turn = await runTurn(on.services, request);
  const first = (await turn.read()) ?? [];
  await actors.damage();
  const rest = await drain(turn);
  assert.ok(textOf(first).length < textOf([...first, ...rest]).length, 'the stream was under way');
  const receipt = await turn.receipt;
  assert.is((await endTurn(on.services, turn)).closing, null, 'an unrecorded charge is not shown');
  await on.services.holds.pending.idle();
  const { generation } = request;
  assert.equal(
    alarms(on.logs).map((log) => [log.message, log.generation]),
    [[DEFERRED, generation]],
  );
  assert.is((await actors.generation(generation)).status, 'running');

  actors.store.mend();
  assert.equal(await actors.engine().engine.reload(ACCOUNT), { outcome: 'loaded' });
  await actors.ask(ACCOUNT, { type: 'account.show' });
  const settled = await actors.generation(generation);
  assert.is(settled.status, 'settled');
  assert.not.ok(settled.late);
  const { promptTokens, completionTokens } = receipt.usage;
  const cost = settled.settlement?.cost as string;
  // The endpoint declares 1 and 2 millionths of a dollar per token.
  assert.is(Number(cost), ((promptTokens as number) + 2 * (completionTokens as number)) / 1_000_000);
  const entries = await actors.ledger();
  assert.is(entries.filter((entry) => JSON.stringify(entry).includes(generation)).length, 1, 'charged once');
  const verdict = verifyLedger(entries);
  assert.ok(verdict.sound, JSON.stringify(verdict));
  assert.is(Number(verdict.balance), 10 - Number(cost));

  // A gateway that received no answer and repeats the settle gets the recorded result.
  const again = await actors.ask(ACCOUNT, words.settleEvent(settled.settlement as never) as object as ActorEvent);
  assert.equal(again, { generation, cost, late: false });
  assert.is((await actors.ledger()).length, entries.length);
  await on.end();
  await actors.engine().close();
});

it('a hold released while its account is damaged is free after the reload, and so is the share of its key', async () => {
  const actors = await openActors();
  const on = stage();
  on.cluster.ask = actors.ask as typeof on.cluster.ask;
  const far = Date.now() + 600_000;
  const held = words.request('gen-1', '1', { deadlineAt: far });
  await actors.ask(KEY, words.admitEvent(held) as object as ActorEvent);
  await actors.damage();
  on.services.holds.release(HOLDER, words.release('gen-1'));
  await on.services.holds.pending.idle();
  assert.is(alarms(on.logs).length, 1);
  actors.store.mend();
  await actors.engine().engine.reload(ACCOUNT);
  await actors.ask(ACCOUNT, { type: 'account.show' });
  assert.is((await actors.generation('gen-1')).status, 'released');
  assert.match(JSON.stringify((await actors.engine().engine.inspect(KEY))?.context), /"held":"0"/);
  await on.end();
  await actors.engine().close();
});

it('a deferred message is not sent again, and any other unacknowledged one is', async () => {
  for (const [failure, asks] of [
    [{ code: 'quarantined', detail: 'the account does not load', deferred: true }, 1],
    [{ code: 'quarantined', detail: 'the account does not load' }, 4],
  ] as const) {
    const on = stage({ answers: () => failing(failure), upstream: { settleRetriesMax: 3 } });
    assert.is(await on.services.holds.charge(HOLDER, words.settlement('gen-1', '0.5')), null);
    await on.services.holds.pending.idle();
    assert.is(on.asks.length, asks);
    assert.is(alarms(on.logs).length, 1);
    await on.end();
  }
  // Deferred at the second attempt: the first was lost in transit.
  let tries = 0;
  const answers = () => failing(++tries === 1 ? { code: 'lost' } : { code: 'quarantined', detail: '', deferred: true });
  const on = stage({ answers });
  assert.is(await on.services.holds.charge(HOLDER, words.settlement('gen-1', '0.5')), null);
  await on.services.holds.pending.idle();
  assert.equal([on.asks.length, alarms(on.logs).length], [2, 1]);
  await on.end();
});

test.run();
