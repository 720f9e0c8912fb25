import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { audit } from '../support/auditor/audit.ts';
import type { Evidence } from '../support/auditor/evidence.ts';
import { bounded } from '../support/bounded.ts';
import { cleanEvidence } from './clean-evidence.ts';
import { cleanRuntime } from './clean-runtime.ts';

const it = bounded(test);

/** The valid run, with evidence about keys, reads and ends of holds. */
function clean(): Evidence {
  const evidence = cleanEvidence();
  const sum = { key: 'key:a/k', held: '0.4', spent: '0.1', spentToday: '0.1' };
  return {
    ...evidence,
    samples: evidence.samples.map((sample) => ({ ...sample, keys: [sum] })),
    deposits: [{ account: 'account:a', amount: '10', id: 'dep-1' }],
    keys: [{ address: 'key:a/k', account: 'account:a', kind: 'inference', limit: '0.5', limitWindow: null }],
    usages: [{ key: 'key:a/k', at: 2_000, usage: '0.000085', usageDaily: '0.000085', held: '0' }],
    reads: [
      { account: 'account:a', shard: 9, node: 'n1', at: 1, endAt: 2, used: '0.000035', deposited: '10' },
      { account: 'account:a', shard: 9, node: 'n2', at: 3, endAt: 4, used: '0.000085', deposited: '10' },
    ],
    ended: new Set(['i9']),
    releases: [{ generation: 'gen-9', at: 5, stored: 'released' }],
    runtime: { ...cleanRuntime(), moves: [] },
  };
}

type Row = Evidence['ledger']['generations'][number]['row'];

function row(evidence: Evidence, more: Partial<Row>): Evidence {
  const [first, ...rest] = evidence.ledger.generations;
  if (first === undefined) throw new Error('no generation');
  const generations = [{ ...first, row: { ...first.row, ...more } }, ...rest];
  return { ...evidence, ledger: { ...evidence.ledger, generations } };
}

const release = (reason: string) => ({ generation: 'gen-1', attempt: 1, reason, status: null, attempts: [] });

it('a valid run is clean, and every check examined something', () => {
  const { checks } = audit(clean());
  assert.equal(
    checks.flatMap((check) => check.violations),
    [],
  );
  for (const check of checks) assert.ok(check.examined > 0, `${check.id} examined nothing`);
});

/** One violation per line: the check that must find it, and the change to the evidence. */
const LIES: readonly (readonly [check: string, title: string, bend: (clean: Evidence) => Evidence])[] = [
  ['rule K61', 'a key with holds and charges above its limit', (e) => limit(e, '0.49')],
  ['rule K64', 'a usage that is not the sum of the charges', (e) => usage(e, { usage: '0.00004' })],
  ['rule K64', 'a daily usage that is not the sum of the charges of today', (e) => usage(e, { usageDaily: '0.00004' })],
  ['rule K64', 'a key with an open hold', (e) => usage(e, { held: '1' })],
  ['rule K46', 'a deposit credited twice', (e) => doubled(e)],
  ['rule K46', 'a missing acknowledged deposit', (e) => ({ ...e, deposits: [{ ...deposit(e), id: 'dep-2' }] })],
  ['rule K12', 'a hold of a management key', (e) => ({ ...e, keys: [{ ...key(e), kind: 'management' }] })],
  ['rule K12', 'a hold without a request', (e) => row(e, { user: 'nobody' })],
  ['rule K44', 'a negative balance without excess', (e) => poor(e)],
  ['rule K45', 'a charge that disappears from reads', (e) => read(e, { used: '0.00003' })],
  ['rule K45', 'a deposit that disappears from reads', (e) => read(e, { deposited: '9' })],
  ['rule K56', 'a charge by an attempt without a hold', (e) => row(e, { attempt: 2 })],
  ['rule K56', 'a release for the loss of a live gateway', (e) => row(e, { release: release('it was lost') })],
  ['rule K56', 'a release before its deadline', (e) => row(e, { release: release('no outcome before its deadline') })],
  ['rule K56', 'a release of an old attempt', (e) => row(e, { release: { ...release('x'), attempt: 0 } })],
  [
    'rule K56',
    'an acknowledged release without effect',
    (e) => ({ ...e, releases: [{ ...ended(e), stored: 'running' }] }),
  ],
];

for (const [check, title, bend] of LIES) {
  it(`${check} finds ${title}`, () => {
    const found = audit(bend(clean())).checks.filter((each) => each.violations.length > 0);
    assert.ok(
      found.some((each) => each.id === check),
      `only ${found.map((each) => each.id).join(', ') || 'no check'} failed`,
    );
  });
}

function first<T>(list: readonly T[] | undefined): T {
  const item = list?.[0];
  if (item === undefined) throw new Error('no such item');
  return item;
}

const key = (e: Evidence) => first(e.keys);
const deposit = (e: Evidence) => first(e.deposits);
const ended = (e: Evidence) => first(e.releases);

function limit(e: Evidence, most: string): Evidence {
  return { ...e, keys: [{ ...key(e), limit: most }] };
}

function usage(e: Evidence, more: Partial<NonNullable<Evidence['usages']>[number]>): Evidence {
  return { ...e, usages: [{ ...first(e.usages), ...more }] };
}

function read(e: Evidence, more: Partial<NonNullable<Evidence['reads']>[number]>): Evidence {
  const [earlier, later] = e.reads ?? [];
  if (!earlier || !later) throw new Error('no reads');
  return { ...e, reads: [earlier, { ...later, ...more }] };
}

function doubled(e: Evidence): Evidence {
  const again = { ...first(e.ledger.entries), sequence: 5, balance: '19.999915' };
  return { ...e, ledger: { ...e.ledger, entries: [...e.ledger.entries, again] } };
}

function poor(e: Evidence): Evidence {
  return { ...e, ledger: { ...e.ledger, accounts: [{ ...first(e.ledger.accounts), balance: '-0.1' }] } };
}

test.run();
