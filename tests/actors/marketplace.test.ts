/** The kinds on the real engine: commits, look-ups and takeovers preserve what the pure tests prove of the charts. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../actors/account/ledger.ts';
import { kinds } from '../../actors/kinds.ts';
import type { ActorEvent } from '../../actors/runtime/actor/event.ts';
import { systemClock } from '../../actors/runtime/system/clock.ts';
import type { Admission, Generation, Released, Settled } from '../../actors/terms/hold.ts';
import type { RefusedAnswer } from '../../actors/terms/refusal.ts';
import { bounded } from '../support/bounded.ts';
import * as words from '../support/model/words.ts';
import { ACCOUNT, KEY } from '../support/model/words.ts';
import { verifyLedger } from '../support/verify-ledger.ts';
import { ALL, openStage, type Stage, until } from './runtime/durable/stage.ts';

const it = bounded(test);
const far = (): number => Date.now() + 600_000;

async function ask<T>(stage: Stage, to: string, event: object): Promise<T> {
  return (await stage.body(to, event as ActorEvent)) as T;
}

const admit = (stage: Stage, id: string, amount: string, more: object = {}): Promise<Admission> =>
  ask(stage, KEY, words.admitEvent(words.request(id, amount, { deadlineAt: far(), ...more })));
const settle = (stage: Stage, id: string, cost: string): Promise<Settled | RefusedAnswer> =>
  ask(stage, ACCOUNT, words.settleEvent(words.settlement(id, cost)));
const release = (stage: Stage, id: string): Promise<Released> =>
  ask(stage, ACCOUNT, words.releaseEvent(words.release(id)));

async function open(): Promise<Stage> {
  const stage = await openStage({ kinds });
  await ask(stage, ACCOUNT, { type: 'account.create', name: 'Ada' });
  await ask(stage, ACCOUNT, words.depositEvent('dep-1', '10'));
  await ask(stage, KEY, words.createKeyEvent());
  return stage;
}

async function stored<T>(stage: Stage, collection: string): Promise<readonly T[]> {
  const rows = await stage.store.rows({ collection, address: ACCOUNT, order: 'ascending', limit: 1_000 });
  return rows.map((row) => JSON.parse(row.body) as T);
}

it('runs a request from admission to settlement and stores what it answered', async () => {
  const stage = await open();
  assert.equal(await admit(stage, 'gen-1', '2'), { admitted: true, generation: 'gen-1', attempt: 0, amount: '2' });
  assert.is((await stored<Generation>(stage, 'generation'))[0]?.status, 'running');
  assert.equal(await settle(stage, 'gen-1', '0.125'), { generation: 'gen-1', cost: '0.125', late: false });
  assert.equal(await settle(stage, 'gen-1', '9'), { generation: 'gen-1', cost: '0.125', late: false });
  const verdict = verifyLedger(await stored<LedgerEntry>(stage, 'ledger'));
  assert.ok(verdict.sound && verdict.balance === '9.875');
  const credential = await stage.store.rowById('credential', 'd'.repeat(64));
  assert.is(credential?.address, KEY);
  await stage.close();
});

it('commits nothing for a refused admit', async () => {
  const stage = await open();
  const before = stage.engine.gauges.entries;
  for (let i = 0; i < 20; i++) assert.not((await admit(stage, `gen-${i}`, '11')).admitted);
  assert.is(stage.engine.gauges.entries, before);
  assert.ok((await admit(stage, 'gen-ok', '10')).admitted);
  await stage.close();
});

it('creates no key for an account that does not exist', async () => {
  const stage = await openStage({ kinds });
  const answer = await stage.ask(KEY, words.createKeyEvent() as ActorEvent);
  assert.is(answer.ok, false);
  assert.is(await stage.store.rowById('credential', 'd'.repeat(64)), null);
  assert.is(await stage.engine.inspect(KEY), null);
  await stage.close();
});

it('answers repeats of long-ended requests from the store', async () => {
  const stage = await open();
  await admit(stage, 'gen-1', '1');
  await settle(stage, 'gen-1', '0.5');
  await admit(stage, 'gen-2', '1');
  await release(stage, 'gen-2');
  await release(stage, 'gen-3');
  await stage.close();
  const next = await openStage({ kinds, store: stage.store });
  const again = await admit(next, 'gen-1', '1', { repeat: true });
  assert.is(again.admitted ? 0 : again.refusal.status, 409);
  assert.equal(await settle(next, 'gen-1', '7'), { generation: 'gen-1', cost: '0.5', late: false });
  assert.equal(await settle(next, 'gen-2', '0.25'), { generation: 'gen-2', cost: '0.25', late: true });
  assert.not((await admit(next, 'gen-3', '1')).admitted, 'its release overtook it');
  assert.equal(await ask(next, ACCOUNT, words.depositEvent('dep-1', '99')), {
    ...(await stored<object>(next, 'deposit'))[0],
    repeated: true,
  });
  await next.close();
});

it('releases the holds of a gateway that died while the account had no owner (rule K56)', async () => {
  const stage = await open();
  await admit(stage, 'gen-1', '4', { gateway: 'inc-dead' });
  await admit(stage, 'gen-2', '1', { gateway: 'inc-live' });
  await stage.close();
  const next = await openStage({ kinds, store: stage.store, adopt: false });
  next.recorded.gone.add('inc-dead');
  await next.take(ALL);
  await until(async () => (await stored<Generation>(next, 'generation'))[0]?.status === 'released');
  assert.is((await stored<Generation>(next, 'generation'))[1]?.status, 'running');
  const inspection = await next.engine.inspect(KEY);
  assert.is((inspection?.context as { held: string } | undefined)?.held, '1');
  await next.close();
});

it('releases an overdue hold by its timer (rule K56)', async () => {
  const stage = await open();
  await admit(stage, 'gen-1', '4', { deadlineAt: Date.now() + 30 });
  await until(async () => (await stored<Generation>(stage, 'generation'))[0]?.status === 'released');
  assert.ok((await admit(stage, 'gen-2', '10')).admitted);
  await stage.close();
});

it('charges many requests at once exactly, and the ledger has no gap (rule K65)', async () => {
  const stage = await open();
  const ids = Array.from({ length: 200 }, (_, i) => `gen-${i}`);
  const admitted = await Promise.all(ids.map((id) => admit(stage, id, '0.07')));
  const granted = ids.filter((_, i) => admitted[i]?.admitted);
  assert.is(granted.length, 142, 'as many holds as the balance covers');
  await Promise.all(granted.map((id) => settle(stage, id, '0.000000000000000000000001')));
  const verdict = verifyLedger(await stored<LedgerEntry>(stage, 'ledger'));
  assert.equal(verdict, {
    sound: true,
    entries: 143,
    balance: '9.999999999999999999999858',
    deposits: '10',
    charges: '0.000000000000000000000142',
    adjustments: '0',
  });
  await stage.close();
});

it('a clock that steps by 30 s over the edge of a minute and of a day resets each limit once and frees no hold (rule K63, rule N30)', async () => {
  const midnight = Date.UTC(2026, 10, 22);
  let wall = midnight - 10_000;
  const stage = await openStage({ kinds, clock: { ...systemClock, now: () => wall } });
  await ask(stage, ACCOUNT, { type: 'account.create', name: 'Ada' });
  await ask(stage, ACCOUNT, words.depositEvent('dep-1', '10'));
  await ask(stage, KEY, words.createKeyEvent({ limit: '1', limitWindow: 'daily', perMinute: 3 }));
  const spend = async (id: string): Promise<number> => {
    const admission = await admit(stage, id, '0.6', { deadlineAt: wall + 660_000 });
    if (!admission.admitted) return admission.refusal.status;
    await settle(stage, id, '0.6');
    return 200;
  };
  await admit(stage, 'held', '0.1', { deadlineAt: wall + 660_000 });
  assert.equal([await spend('a1'), await spend('a2'), await spend('a3')], [200, 402, 429]);
  wall += 30_000;
  assert.equal([await spend('b1'), await spend('b2')], [200, 402], 'a new day and a new minute');
  for (const [at, step] of [-30_000, 30_000, -30_000, 30_000].entries()) {
    wall += step;
    assert.is.not(await spend(`c${at}`), 200, 'the same day and minute again');
  }
  const held = (await stored<Generation>(stage, 'generation')).find(({ generation }) => generation === 'held');
  assert.is(held?.status, 'running');
  await stage.close();
});

it('the activity of a day is one row per model and endpoint, counted on after a takeover (rule K52)', async () => {
  const midnight = Date.UTC(2026, 10, 22);
  let wall = midnight - 10_000;
  const options = { kinds, clock: { ...systemClock, now: () => wall } };
  const spend = async (on: Stage, id: string, more: object = {}): Promise<void> => {
    await admit(on, id, '1', { deadlineAt: wall + 660_000, ...more });
    await settle(on, id, '0.000000000000000000000001');
  };
  const stage = await openStage(options);
  await ask(stage, ACCOUNT, { type: 'account.create', name: 'Ada' });
  await ask(stage, ACCOUNT, words.depositEvent('dep-1', '10'));
  await ask(stage, KEY, words.createKeyEvent());
  await Promise.all([1, 2, 3].map((at) => spend(stage, `gen-${at}`)));
  await spend(stage, 'gen-4', { endpoint: 'ep_2' });
  await stage.close();
  const next = await openStage({ ...options, store: stage.store });
  await spend(next, 'gen-5');
  wall += 30_000;
  await Promise.all([6, 7, 8].map((at) => spend(next, `gen-${at}`)));
  const rows = await next.store.rows({ collection: 'usage', address: KEY, limit: 10 });
  assert.equal(
    rows.map(({ open, index: [day], body }) => {
      const { endpoint, requests, promptTokens, usage } = JSON.parse(body);
      return [day, endpoint, requests, promptTokens, usage, open];
    }),
    [
      ['acct_1 2026-11-21', 'ep_1', 4, 40, '0.000000000000000000000004', true],
      ['acct_1 2026-11-21', 'ep_2', 1, 10, '0.000000000000000000000001', true],
      ['acct_1 2026-11-22', 'ep_1', 3, 30, '0.000000000000000000000003', true],
    ],
  );
  await next.close();
});

test.run();
