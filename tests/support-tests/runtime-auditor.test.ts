import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { audit } from '../support/auditor/audit.ts';
import { isLinearizable } from '../support/auditor/linearizable.ts';
import type { RegisterOperation, RuntimeEvidence } from '../support/auditor/runtime-evidence.ts';
import { bounded } from '../support/bounded.ts';
import { cleanEvidence } from './clean-evidence.ts';
import { cleanRuntime, letter, operation } from './clean-runtime.ts';

const it = bounded(test);

/** Ids of the failing checks. */
function complaints(runtime: RuntimeEvidence): readonly string[] {
  const { checks } = audit({ ...cleanEvidence(), runtime });
  return checks.filter((check) => check.violations.length > 0).map((check) => check.id);
}

it('a valid run of the runtime is clean, and every check examined something', () => {
  const { checks } = audit({ ...cleanEvidence(), runtime: cleanRuntime() });
  assert.equal(
    checks.flatMap((check) => check.violations),
    [],
  );
  for (const check of checks) assert.ok(check.examined > 0, `${check.id} examined nothing`);
});

type Bend = (clean: RuntimeEvidence) => Partial<RuntimeEvidence>;

/** Replaces members of one item of a list. */
const nth = <T>(list: readonly T[], index: number, more: Partial<T>): T[] =>
  list.map((item, at) => (at === index ? { ...item, ...more } : item));

/** One violation per line: the check that must find it, and the change to the evidence. */
const LIES: readonly (readonly [check: string, title: string, bend: Bend])[] = [
  ['rule N2', 'a write under an old epoch', (e) => ({ commits: nth(e.commits, 1, { epoch: 1 }) })],
  ['rule N2', 'a write by a node without the shard', (e) => ({ commits: nth(e.commits, 1, { owner: 'i9' }) })],
  ['rule N2', 'a takeover without a higher epoch', (e) => ({ moves: nth(e.moves, 1, { epoch: 1 }) })],
  ['rule N3', 'a false verdict', (e) => ({ commits: lie(e, { after: 1 }) })],
  ['rule N3', 'a version written over an unexpected one', (e) => ({ commits: lie(e, { before: 3 }) })],
  [
    'rule N3',
    'a committed version that the transition log lacks',
    () => ({ transitionLogs: [{ address: 'cell:a', versions: [1] }] }),
  ],
  ['rule N5', 'an answer before its commit', (e) => ({ shown: nth(e.shown, 0, { stored: 0 }) })],
  ['rule N18', 'a read of an overwritten value', (e) => ({ registers: nth(e.registers, 2, { seen: 'v1' }) })],
  ['rule N7', 'an addition applied twice', () => ({ tallies: tally(4, 'a1', 2) })],
  [
    'rule N7',
    'an acknowledged addition that is lost',
    () => ({ tallies: [{ address: 'tally:a', total: 0, additions: [] }] }),
  ],
  ['rule N7', 'an addition answered as failed, but applied', () => ({ tallies: tally(3, 'a2', 1) })],
  ['rule N9', 'a timer that fired twice', (e) => ({ clockworks: nth(e.clockworks, 0, { rings: 2 }) })],
  ['rule N9', 'a timer that fired early', (e) => ({ clockworks: nth(e.clockworks, 0, { rangAt: 99 }) })],
  ['rule N9', 'a timer that was lost', () => ({ clockworks: [] })],
  ['rule N10', 'money that vanishes for a moment', (e) => ({ purses: nth(e.purses, 0, { sum: 29 }) })],
  ['rule N8', 'a message that never arrived', () => ({ received: [] })],
  ['rule N8', 'a message that arrived twice', (e) => ({ received: nth(e.received, 0, { times: 2 }) })],
  [
    'rule N8',
    'messages in another order',
    (e) => ({
      transfers: [...e.transfers, ...nth(e.transfers, 0, { transfer: 't2' })],
      received: [...e.received, ...nth(e.received, 0, { transfer: 't2', number: 2, order: 0 })],
    }),
  ],
  ['rule N13', 'a bill booked whose payment was refused', (e) => ({ funds: paid(e, 10, []) })],
  [
    'rule N13',
    'a payment whose bill is not booked',
    (e) => ({ billsStored: nth(e.billsStored, 0, { state: 'failed' }) }),
  ],
  ['rule N13', 'a payment taken twice', (e) => ({ funds: paid(e, 4, [{ bill: 'b1', amount: 3, times: 2 }]) })],
  ['rule N13', 'money that leaves without a payment', (e) => ({ funds: paid(e, 6, e.funds[0]?.payments ?? []) })],
  ['rule N13', 'a timer that was dropped', () => ({ deadLetters: [letter('b4', 'bill.arrive')] })],
  ['rule N13', 'a message that was dropped', () => ({ deadLetters: [letter('b3', 'bill.due')] })],
  [
    'rule N13',
    'a result that was dropped',
    (e) => ({ billsStored: nth(e.billsStored, 2, { state: 'waiting', times: 0 }) }),
  ],
  [
    'rule N13',
    'a dead letter of a booked bill',
    (e) => ({ deadLetters: [...e.deadLetters, letter('b1', 'bill.due')] }),
  ],
  ['rule N13', 'a dead letter twice', (e) => ({ deadLetters: [...e.deadLetters, letter('b3', 'bill.due')] })],
  ['rule N13', 'a bill that ended twice', (e) => ({ billsStored: nth(e.billsStored, 2, { times: 2 }) })],
  ['rule N13', 'a bill that was refused, but stored', (e) => ({ bills: nth(e.bills, 0, { outcome: 'fail' }) })],
  ['rule N14', 'a lost activity', () => ({ works: [] })],
  ['rule N14', 'an activity under two keys', (e) => ({ activityCalls: nth(e.activityCalls, 1, { key: 'other' }) })],
  ['rule N14', 'an activity whose actor received two ends', (e) => ({ works: nth(e.works, 0, { ends: 2 }) })],
  ['rule N15', 'a result of an old attempt', (e) => ({ works: nth(e.works, 0, { attempt: 1 }) })],
  ['rule N15', 'a result that no call returned', (e) => ({ works: nth(e.works, 0, { result: 'invented' }) })],
  ['rule N6', 'a call before its commit', (e) => ({ activityCalls: nth(e.activityCalls, 1, { at: 21 }) })],
  [
    'rule N16',
    'an activity suspect after a kill',
    (e) => ({ activityRecords: nth(e.activityRecords, 1, { suspect: true }) }),
  ],
  ['rule N16', 'an activity failed as poison after kills', (e) => ({ works: nth(e.works, 0, { failure: 'poison' }) })],
  [
    'rule N16',
    'an activity suspect after a crash before it began',
    (e) => ({
      activityRecords: [
        { ...(e.activityRecords[0] as (typeof e.activityRecords)[0]), begun: false },
        { ...(e.activityRecords[1] as (typeof e.activityRecords)[0]), suspect: true },
      ],
      crashed: new Set(['i1']),
    }),
  ],
  ['rule N17', 'an attempt that its actor does not know', (e) => ({ works: nth(e.works, 0, { attempts: [1] }) })],
];

for (const [check, title, bend] of LIES) {
  it(`${check} finds ${title}`, () => {
    const clean = cleanRuntime();
    const found = complaints({ ...clean, ...bend(clean) });
    assert.ok(found.includes(check), `only ${found.join(', ') || 'no check'} failed`);
  });
}

function paid(e: RuntimeEvidence, amount: number, payments: RuntimeEvidence['funds'][number]['payments']) {
  return nth(e.funds, 0, { amount, payments });
}

function lie(e: RuntimeEvidence, more: Partial<RuntimeEvidence['commits'][number]['actors'][number]>) {
  const commit = e.commits[1] as RuntimeEvidence['commits'][number];
  return nth(e.commits, 1, { actors: nth(commit.actors, 0, more) });
}

function tally(total: number, op: string, times: number): RuntimeEvidence['tallies'] {
  return [{ address: 'tally:a', total, additions: [{ op, by: op === 'a1' ? 2 : 3, times }] }];
}

it('concurrent operations may take effect in either order, consecutive ones may not', () => {
  const both = [operation(0, 10, 'write', 'a'), operation(1, 9, 'write', 'b')];
  for (const last of ['a', 'b']) assert.ok(isLinearizable([...both, operation(11, 12, 'read', last)]).holds);
  const after = [operation(0, 10, 'write', 'a'), operation(11, 12, 'write', 'b')];
  assert.not(isLinearizable([...after, operation(13, 14, 'read', 'a')]).holds);
});

it('an unknown operation may take effect late or never; a failed one never does', () => {
  const lost: RegisterOperation = { ...operation(0, 5, 'write', 'a'), outcome: 'unknown', seen: null };
  const reads = [operation(20, 21, 'read', 'b'), operation(30, 31, 'read', 'a')];
  assert.ok(isLinearizable([lost, operation(10, 11, 'write', 'b'), ...reads]).holds);
  assert.ok(isLinearizable([lost, operation(10, 11, 'write', 'b'), ...reads.slice(0, 1)]).holds);
  assert.not(isLinearizable([{ ...lost, outcome: 'fail' }, operation(10, 11, 'write', 'b'), ...reads]).holds);
});

it('a refused swap reports the current value, an applied one had the expected value', () => {
  const swap = (at: number, expect: string | null, swapped: boolean, seen: string): RegisterOperation => ({
    ...operation(at, at + 1, 'write', seen),
    action: { type: 'swap', expect, value: 'new' },
    swapped,
  });
  const written = operation(0, 1, 'write', 'a');
  assert.ok(isLinearizable([written, swap(2, 'a', true, 'new'), operation(4, 5, 'read', 'new')]).holds);
  assert.ok(isLinearizable([written, swap(2, 'b', false, 'a'), operation(4, 5, 'read', 'a')]).holds);
  assert.not(isLinearizable([written, swap(2, 'b', true, 'new')]).holds);
  assert.not(isLinearizable([written, swap(2, 'a', false, 'a')]).holds);
});

it('a read may be as old as the read lease only after a takeover', () => {
  const stale = [operation(9, 11, 'write', 'v1'), operation(29, 31, 'write', 'v2')];
  const at = (when: number) => ({ ...cleanRuntime(), registers: [...stale, operation(when, when + 1, 'read', 'v1')] });
  assert.not(complaints(at(60)).includes('rule N18'));
  assert.ok(complaints(at(80)).includes('rule N18'));
  assert.ok(complaints({ ...at(60), readLeaseMs: 10 }).includes('rule N18'));
});

test.run();
