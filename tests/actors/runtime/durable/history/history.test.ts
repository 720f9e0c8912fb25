/** Histories: what is recorded, that it rebuilds every state, and that a wrong chart is found by taking steps again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { register } from '../../../../../actors/runtime/actor/charts/register.ts';
import type { ActorEvent } from '../../../../../actors/runtime/actor/event.ts';
import { again } from '../../../../../actors/runtime/actor/history/again.ts';
import type { RebuiltStep } from '../../../../../actors/runtime/actor/history/rebuild.ts';
import { shownAgain, shownStep } from '../../../../../actors/runtime/actor/history/redacted.ts';
import { rebuiltStep, rebuiltSteps, storedSteps } from '../../../../../actors/runtime/durable/history.ts';
import { type ExportedStep, registered, replay } from '../../../../../actors/runtime/inspect/replay.ts';
import type { Store } from '../../../../../actors/runtime/ports/store.ts';
import { openSqliteStore } from '../../../../../actors/runtime/stores/sqlite/open-sqlite-store.ts';
import { systemClock, systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { bounded } from '../../../../support/bounded.ts';
import { MemoryStore } from '../../../../support/memory-store.ts';
import { counterKind } from '../../../example-kinds/counter.ts';
import { HandClock } from '../hand-clock.ts';
import { ALL, openStage, SHARDS, type Stage } from '../stage.ts';
import { diaryKind, wrongDiaryKind } from './diary.ts';
import { DIARY, rebuildsTo, runDiary } from './diary-run.ts';

const it = bounded(test, 600_000);
/** `HISTORY_STEPS=100000 node tests/actors/runtime/durable/history.test.ts` takes more of them. */
const STEPS = Number(process.env.HISTORY_STEPS ?? 2_000);
const SEED = Number(process.env.TROUPE_SEED ?? 7);
const folder = mkdtempSync(join(tmpdir(), 'troupe-history-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const memory = (): MemoryStore => new MemoryStore({ clock: systemClock, shards: SHARDS });
const page = (name: string, body = 'a day'): ActorEvent => ({ type: 'diary.page', name, body });
const record = (stage: Stage, address: string, until: number) =>
  stage.ask(address, { type: '$record', until, event: null });

async function stepAt(store: Store, version: number): Promise<RebuiltStep> {
  const found = await rebuiltStep(store, DIARY, version);
  assert.ok(found, `version ${version} is recorded`);
  return found;
}

it(`every state of ${STEPS} steps is rebuilt from the store as its actor answered it, across takeovers (rule N44)`, async () => {
  const options = { path: join(folder, 'steps.db'), shards: SHARDS, clock: systemClock, random: systemRandom };
  const store = await openSqliteStore({ ...options, busyBoundMs: 2_000 });
  try {
    const live = await runDiary(store, { steps: STEPS, owners: 3, seed: SEED });
    await rebuildsTo(store, live);
  } finally {
    await store.close();
  }
});

/** A diary with so many pages, on a store of its own. */
async function withPages(count: number, use: (stage: Stage, store: Store) => Promise<void>): Promise<void> {
  const store = memory();
  const stage = await openStage({ store, kinds: [diaryKind, counterKind] });
  try {
    for (let i = 0; i < count; i++) await stage.body(DIARY, page(`p${i}`));
    await use(stage, store);
  } finally {
    await stage.close();
  }
}

it('a recorded step has its event, its rows, its owner and what it changed, redacted by its kind (rule N45)', () =>
  withPages(2, async (stage, store) => {
    await stage.body(DIARY, { type: 'diary.lock', secret: 'the secret word' });
    await stage.body(DIARY, { type: 'diary.quote', name: 'p1' });
    await stage.body(DIARY, page('p3', 'I wrote: the secret word.'));
    const quoted = shownStep(diaryKind, await stepAt(store, 4));
    assert.equal(quoted.rows, { line: [{ id: 'p1', body: { body: 'a day' } }] });
    assert.equal(quoted.difference, [{ path: 'context.list.0', after: { body: 'a day' } }]);
    assert.equal([quoted.node, quoted.epoch, quoted.chart, quoted.version], ['n1', 1, 1, 4]);
    for (const version of [3, 5]) {
      const step = await stepAt(store, version);
      assert.match(JSON.stringify(step), 'the secret word');
      assert.not.match(JSON.stringify(shownStep(diaryKind, step)), 'the secret word');
    }
    const failed = { after: null, effects: [], expected: null, sameEffects: null, equal: false } as const;
    const failure = 'a chart threw: the secret word';
    const shown = shownAgain(diaryKind, await stepAt(store, 3), { ...failed, failure });
    assert.is(shown.failure, 'a chart threw: [redacted]');
    assert.is(shownStep(diaryKind, await stepAt(store, 1)).before, null);
  }));

it('a step that reads or brings too much is recorded without that, and is not taken again (rule N45)', () =>
  withPages(1, async (stage, store) => {
    await stage.body(DIARY, page('long', 'x'.repeat(70_000)));
    await stage.body(DIARY, { type: 'diary.tear', name: 'long' });
    const step = await stepAt(store, 3);
    assert.equal(Object.keys(step.after.context as object), ['secret', 'pages', 'list', 'count', 'seen']);
    assert.is((await stepAt(store, 2)).body.event.body, undefined);
    assert.match(again(register(diaryKind), DIARY, await stepAt(store, 2)).failure ?? '', /too long/);
  }));

it('the newest steps are kept, and the actor ends with all of them (rule N46)', async () => {
  const store = memory();
  const kept = { ...diaryKind, history: { always: true, days: 1, stepsMax: 100 } };
  const stage = await openStage({ store, kinds: [kept] });
  for (let i = 0; i < 400; i++) await stage.body(DIARY, page('p'));
  const steps = await storedSteps(store, DIARY, { limit: 1_000 });
  assert.ok(steps.length >= 100 && steps.length < 100 + 64, `${steps.length} steps are kept`);
  assert.is(steps[0]?.version, 400);
  await stage.body(DIARY, { type: 'diary.end' });
  assert.equal(await storedSteps(store, DIARY, { limit: 9 }), []);
  await stage.body(DIARY, page('again'));
  assert.is((await storedSteps(store, DIARY, { limit: 9 })).length, 1);
  await stage.close();
});

it('steps of one batch are recorded up to the end of their actor only, and those of its next life (rule N46)', () =>
  withPages(1, async (stage, store) => {
    await Promise.all([page('a'), { type: 'diary.end' }, page('b'), page('c')].map((event) => stage.ask(DIARY, event)));
    const steps = await storedSteps(store, DIARY, { limit: 9 });
    assert.ok(steps.every(({ body }) => body.event.name !== 'a' && body.event.type !== 'diary.end'));
  }));

it('a record expires after the days of its kind (rule N46)', () =>
  withPages(1, async (_, store) => {
    const day = 86_400_000;
    assert.is(await store.sweepRows(systemClock.now() + day - 60_000, 9), 0);
    assert.is(await store.sweepRows(systemClock.now() + day + 60_000, 9), 1);
  }));

it('any actor is recorded on request, volatile steps too, until the time is over or the request ends (rule N47)', async () => {
  const clock = new HandClock();
  const store = new MemoryStore({ clock, shards: SHARDS });
  const onRequest = { ...diaryKind, history: { always: false, days: 1, stepsMax: 100 } };
  const first = await openStage({ store, clock, kinds: [onRequest] });
  const versions = async (): Promise<readonly number[]> =>
    (await storedSteps(store, DIARY, { limit: 99 })).map(({ version }) => version).reverse();
  assert.equal(await record(first, DIARY, clock.now() + 1_000), { ok: true, body: 'none' });
  await first.body(DIARY, page('p1'));
  assert.equal(await record(first, DIARY, clock.now() + 1_000), { ok: true, body: 'taken' });
  const inspected = await first.engine.inspect(DIARY);
  assert.equal(inspected?.recording, { until: clock.now() + 1_000 });
  await first.body(DIARY, { type: 'diary.look' });
  await first.body(DIARY, page('p2'));
  assert.equal(await versions(), [2, 3]);
  const next = await openStage({ store, clock, name: 'n2', kinds: [onRequest], adopt: false });
  await next.take(ALL);
  await next.body(DIARY, { type: 'diary.look' });
  assert.equal(await versions(), [2, 3, 4]);
  assert.is((await stepAt(store, 4)).body.node, 'n2');
  await clock.advance(1_000);
  await next.body(DIARY, page('p3'));
  assert.equal(await versions(), [2, 3, 4]);
  await record(next, DIARY, clock.now() + 9e9);
  await clock.advance(86_400_000);
  await next.body(DIARY, page('p4'));
  assert.equal(await versions(), [2, 3, 4], 'a recording ends after a day');
  await record(next, DIARY, clock.now() + 1_000);
  await record(next, DIARY, clock.now());
  await next.body(DIARY, page('p5'));
  assert.equal(await versions(), [2, 3, 4], 'a recording ends when an operator ends it');
  await Promise.all([first.close(), next.close()]);
});

it('a step that is refused by the store leaves no record, and the next one holds its whole state (rule N44)', () =>
  withPages(3, async (stage, store) => {
    const failing = store as MemoryStore;
    failing.fault = () => ({ type: 'refuse', reason: 'full' });
    assert.is((await stage.ask(DIARY, page('p4'))).ok, false);
    failing.fault = null;
    await stage.body(DIARY, page('p5'));
    const [newest, older] = await storedSteps(store, DIARY, { limit: 9 });
    assert.equal([newest?.body.event.name, older?.body.event.name], ['p5', 'p2']);
    const { after } = await stepAt(store, newest?.version ?? 0);
    assert.equal(Object.keys((after.context as { pages: object }).pages), ['p0', 'p1', 'p2', 'p5']);
  }));

async function* exported(store: Store): AsyncGenerator<ExportedStep> {
  for await (const step of rebuiltSteps(store, DIARY)) yield { address: DIARY, step };
}

it('taken again by the same charts every step gives the same state and effects (rule N48)', () =>
  withPages(40, async (_, store) => {
    const same = { actors: 1, steps: 40, skipped: 0, first: null };
    assert.equal(await replay(registered([diaryKind]), exported(store)), same);
  }));

it('a wrong chart is found at its first other step, with the difference (rule N48)', () =>
  withPages(40, async (_, store) => {
    const { first, steps } = await replay(registered([wrongDiaryKind]), exported(store));
    assert.equal([first?.address, first?.version, steps], [DIARY, 7, 7]);
    assert.equal(first?.difference, [{ path: 'context.count', before: 7, after: 8 }]);
    assert.is(first?.sameEffects, false, 'its answer holds the count');
  }));

it('another event is taken on the state before the step (rule N48)', () =>
  withPages(2, async (_, store) => {
    const taken = again(register(diaryKind), DIARY, await stepAt(store, 2), { type: 'diary.tear', name: 'p0' });
    assert.is(taken.failure, null);
    assert.equal((taken.after as { context: { pages: object } } | null)?.context.pages, {});
    assert.match(
      again(register(diaryKind), DIARY, await stepAt(store, 2), { type: 'no.such' }).failure ?? '',
      /no transition/,
    );
  }));

test.run();
