import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Generation, Settlement } from '../../actors/terms/hold.ts';
import { amount, cost, text } from '../support/auditor/amount.ts';
import { audit } from '../support/auditor/audit.ts';
import type { Evidence } from '../support/auditor/evidence.ts';
import type { HistoryEntry } from '../support/auditor/history.ts';
import { bounded } from '../support/bounded.ts';
import { cleanEvidence } from './clean-evidence.ts';

const it = bounded(test);

it('a valid run is clean, and every check examined something', () => {
  const verdict = audit(cleanEvidence());
  assert.equal(
    verdict.checks.flatMap((check) => check.violations),
    [],
  );
  assert.equal(verdict.clean, true);
  for (const check of verdict.checks) assert.ok(check.examined > 0, `${check.id} examined nothing`);
});

/** One violation per line: the check that must find it, and the change to the evidence. */
const LIES: readonly (readonly [check: string, title: string, bend: (clean: Evidence) => Evidence])[] = [
  [
    'rule K42',
    'a balance that is off by the last decimal',
    (e) => account(e, { balance: '9.999915000000000000000001' }),
  ],
  ['rule K42', 'a line whose running balance is wrong', (e) => line(e, 1, { balance: '9.9' })],
  [
    'rule K42',
    'credits over the API that differ from the ledger',
    (e) => ({ ...e, credits: [{ account: 'account:a', deposited: '10', used: '0.00004' }] }),
  ],
  ['rule K42', 'a sample with a wrong sum', (e) => sampled(e, { fromLedger: '9' })],
  ['rule K54', 'more held than the balance', (e) => sampled(e, { held: '11', openHolds: '11' })],
  ['rule K54', 'a held sum without its rows', (e) => sampled(e, { openHolds: '0.4' })],
  ['rule K55', 'a hold left open', (e) => row(e, { status: 'running', settlement: null, endedAt: null })],
  ['rule K55', 'a held sum left behind', (e) => account(e, { held: '0.5' })],
  [
    'rule K55',
    'a hold both settled and released',
    (e) => row(e, { release: { generation: 'gen-1', attempt: 1, reason: 'x', status: null, attempts: [] } }),
  ],
  [
    'rule K65',
    'a generation charged twice',
    (e) =>
      ledger(e, {
        entries: [
          ...e.ledger.entries,
          {
            account: 'account:a',
            sequence: 5,
            type: 'charge',
            amount: '0.000035',
            balance: '9.99988',
            generation: 'gen-1',
            ref: 'gen-1',
          },
        ],
      }),
  ],
  [
    'rule K68',
    'a charge without any provider call',
    (e) => ({ ...e, calls: e.calls.filter((call) => call.id !== 'n1') }),
  ],
  ['rule K68', 'a charge with a released row', (e) => row(e, { status: 'released' })],
  [
    'rule K68',
    'a charge for a provider that only refused',
    (e) => ({ ...e, calls: e.calls.map((call) => ({ ...call, outcome: 'status', status: 500, chunks: 0 })) }),
  ],
  [
    'rule K68',
    'a charge under a hold whose calls never answered',
    (e) => ({ ...e, calls: e.calls.map((call) => ({ ...call, holdAttempt: 1_001 })) }),
  ],
  [
    'rule K68',
    'an answer without its charge',
    (e) => ledger(e, { entries: e.ledger.entries.filter((each) => each.generation !== 'gen-1') }),
  ],
  ['rule K68', 'an answer whose cost is not the charge', (e) => outcome(e, 'ok', { cost: '0.000036' })],
  ['rule K41', 'a settlement that does not match the price list', (e) => settlement(e, { cost: '0.000036' })],
  [
    'rule K41',
    'counts other than the provider reported',
    (e) => settlement(e, { promptTokens: 13, completionTokens: 19 }),
  ],
  ['rule K53', 'a provider called before the hold', (e) => row(e, { createdAt: 1_021 })],
  [
    'rule K53',
    'a provider called without any hold',
    (e) => ({ ...e, calls: [...e.calls, { ...(e.calls[0] as Evidence['calls'][number]), id: 'n9' }] }),
  ],
  [
    'rule K53',
    'a provider called for a request refused with 402',
    (e) => ({ ...e, calls: [...e.calls, { ...(e.calls[0] as Evidence['calls'][number]), id: 'n2' }] }),
  ],
  ['rule K69', 'a charge above its hold without recorded excess', (e) => row(e, { amount: '0.00003' })],
  ['rule K69', 'a wrong recorded excess', (e) => row(e, { amount: '0.00003', overshoot: '0.000004' })],
  ['rule K70', 'a failed request that was charged', (e) => outcome(e, 'fail', { delivered: false, status: 502 }, 3)],
  ['rule I132', 'three calls at one endpoint', (e) => ({ ...e, calls: [...e.calls, ...e.calls, ...e.calls] })],
  ['rule I132', 'a charge at an endpoint that did not serve', (e) => row(e, { provider: 'Sim B' })],
  ['rule K40', 'money in the digits of a float', (e) => settlement(e, { cost: '3.5e-5' })],
  ['rule K76', 'an unpriced unit that is not recorded', (e) => unpricedPrompt(e, [])],
  ['rule K76', 'a priced unit recorded as unpriced', (e) => settlement(e, { unpriced: ['completion'] })],
  ['rule K75', 'an estimated count recorded as reported', (e) => settlement(e, { estimated: true })],
  ['rule K75', 'a reported count recorded as unmeasured', (e) => settlement(e, { unmeasured: ['prompt'] })],
  ['rule K75', 'a tier of another length', (e) => settlement(e, { conditions: { at: 1_010, promptTokens: 11 } })],
  [
    'rule K75',
    'prices of a time after the admission',
    (e) => settlement(e, { conditions: { at: 2_000, promptTokens: 10 } }),
  ],
  [
    'rule K71',
    'a caller that left while its hold is still open',
    (e) => leaver(e, { status: 'running', settlement: null }),
  ],
  ['rule K71', 'a caller that left and was not charged', (e) => leaver(e, released('the caller left'))],
  [
    'rule K71',
    'a hold that ran out although its gateway lives',
    (e) => ({ ...leaver(e, released('no outcome before its deadline')), ended: new Set(['i9']) }),
  ],
  ['rule K71', 'a caller that left and never had a hold', (e) => leaver(e, { user: 'somebody else' })],
  [
    'rule K71',
    'a caller that left and whose charge is not in the ledger',
    (e) => ledger(e, { entries: e.ledger.entries.slice(0, 3) }),
  ],
  ['rule K71', 'a caller that left and pays more than was held', (e) => leaver(e, { amount: '0.00003' })],
  [
    'rule K71',
    'a caller that left and pays a count other than the provider reported',
    (e) => ({ ...e, calls: e.calls.map((call) => ({ ...call, usage: { prompt_tokens: 10, completion_tokens: 21 } })) }),
  ],
  ['rule K43', 'a gap in the ledger', (e) => line(e, 3, { sequence: 5 })],
  ['rule K43', 'a broken hash', (e) => ledger(e, { chainFaults: ['account:a line 2'] })],
  ['rule N1', 'a decreasing epoch', (e) => ({ ...e, samples: [...e.samples].reverse() })],
  [
    'rule N1',
    'two owners in one epoch',
    (e) => ({
      ...e,
      samples: e.samples.map((sample) => ({
        ...sample,
        shards: sample.shards.map((shard) => ({ ...shard, epoch: 4 })),
      })),
    }),
  ],
  [
    'rule N1',
    'a transition missing from a log',
    (e) => ledger(e, { actors: [{ address: 'account:a', version: 7, transitionLog: [4, 5, 7] }] }),
  ],
  ['rule N4', 'an acknowledged request without a settled row', (e) => row(e, { status: 'released' })],
  [
    'rule N4',
    'an answer without a cost whose hold was released without a cause',
    (e) => uncharged(e, 'Internal Server Error'),
  ],
  [
    'rule N4',
    'an acknowledged request without any row',
    (e) => ledger(e, { generations: e.ledger.generations.slice(1) }),
  ],
  [
    'rule N4',
    'an acknowledged deposit that is gone',
    (e) => ({ ...e, deposits: [...e.deposits, { account: 'account:a', amount: '0.01' }] }),
  ],
  ['rule I59', 'a stream with a chunk missing', (e) => outcome(e, 'ok', { textIntact: false })],
  ['rule I59', 'a stream that breaks its grammar', (e) => outcome(e, 'ok', { breaches: ['no role'] })],
  ['rule I59', 'a stream that ends twice', (e) => outcome(e, 'ok', { endings: 2 })],
];

for (const [id, title, bend] of LIES) {
  it(`${id} finds ${title}`, () => {
    const found = audit(bend(cleanEvidence())).checks.find((check) => check.id === id);
    assert.ok(found && found.violations.length > 0, `${id} saw nothing wrong`);
  });
}

it('reports the three summary counts of a run', () => {
  const clean = cleanEvidence();
  assert.is(audit(ledger(clean, { generations: clean.ledger.generations.slice(1) })).lostAcknowledgements, 1);
  assert.is(audit(row(clean, { status: 'running', settlement: null })).leakedHolds, 1);
  const twice = [...clean.ledger.entries, ...clean.ledger.entries.slice(1, 2)];
  assert.is(audit(ledger(clean, { entries: twice })).doubleCharges, 1);
});

it('refuses a history with an outcome but no invocation', () => {
  const clean = cleanEvidence();
  assert.throws(() => audit({ ...clean, history: clean.history.slice(1) }), /without an open invocation/);
});

it('amounts keep 24 decimals and products are floored once', () => {
  assert.is(amount('0.000000000000000000000001'), 1n);
  assert.is(amount('1e-7'), 10n ** 17n);
  assert.is(amount('-2.5'), -25n * 10n ** 23n);
  assert.throws(() => amount('0.0000000000000000000000015'), /decimals/);
  assert.throws(() => amount('0x10'), /is not an amount/);
  assert.is(
    text(
      cost([
        { rate: '0.0000001234567890123456789', units: 3 },
        { rate: '0.0000087654321098765432101', units: 7 },
      ]),
    ),
    '0.000061728395136172839507',
  );
});

function ledger(clean: Evidence, members: Partial<Evidence['ledger']>): Evidence {
  return { ...clean, ledger: { ...clean.ledger, ...members } };
}

function account(clean: Evidence, members: Partial<Evidence['ledger']['accounts'][number]>): Evidence {
  return ledger(clean, { accounts: clean.ledger.accounts.map((each) => ({ ...each, ...members })) });
}

function line(clean: Evidence, at: number, members: Partial<Evidence['ledger']['entries'][number]>): Evidence {
  return ledger(clean, {
    entries: clean.ledger.entries.map((each, index) => (index === at ? { ...each, ...members } : each)),
  });
}

function row(clean: Evidence, members: Partial<Generation>): Evidence {
  const generations = clean.ledger.generations.map((each, at) =>
    at === 0 ? { ...each, row: { ...each.row, ...members } } : each,
  );
  return ledger(clean, { generations });
}

/** The row of the abandoned request. */
function leaver(clean: Evidence, members: Partial<Generation>): Evidence {
  const generations = clean.ledger.generations.map((each) =>
    each.row.generation === 'gen-4' ? { ...each, row: { ...each.row, ...members } } : each,
  );
  return ledger(clean, { generations });
}

function released(reason: string): Partial<Generation> {
  const release = { generation: 'gen-4', attempt: 1, reason, status: null, attempts: [] };
  return { status: 'released', settlement: null, release };
}

it('rule K71 accepts a caller that left without a charge if its gateway died', () => {
  for (const reason of ['the gateway that served it was lost', 'no outcome before its deadline']) {
    const { checks } = audit({ ...leaver(cleanEvidence(), released(reason)), ended: new Set(['i1']) });
    assert.equal(checks.find((check) => check.id === 'rule K71')?.violations, []);
  }
});

it('rule K71 accepts an estimate only if the gateway had stopped to read on before the provider reported', () => {
  const clean = cleanEvidence();
  const own = clean.ledger.generations.find((each) => each.row.generation === 'gen-4')?.row as Generation;
  const settled = { ...(own.settlement as Settlement), completionTokens: 1, estimated: true };
  for (const { endAt, accepted } of [
    { endAt: (own.endedAt ?? 0) + 600, accepted: true },
    { endAt: (own.endedAt ?? 0) - 600, accepted: false },
  ]) {
    const evidence = leaver({ ...clean, clockSlackMs: 0 }, { settlement: settled });
    const { checks } = audit({ ...evidence, calls: evidence.calls.map((call) => ({ ...call, endAt })) });
    assert.is(checks.find((check) => check.id === 'rule K71')?.violations.length === 0, accepted);
  }
});

function settlement(clean: Evidence, members: Partial<Settlement>): Evidence {
  const settled = clean.ledger.generations[0]?.row.settlement;
  return row(clean, { settlement: { ...(settled as Settlement), ...members } });
}

/** The price list has no price for the prompt; the first request recorded these units as unpriced. */
function unpricedPrompt(clean: Evidence, unpriced: readonly string[]): Evidence {
  const prices = { 'sim-a': [{ model: 'sim/fast', completion: '0.0000015' }] };
  return { ...settlement(clean, { unpriced }), prices };
}

/** The first request was answered without a cost, and its hold released for this reason. */
function uncharged(clean: Evidence, reason: string): Evidence {
  const release = { generation: 'gen-1', attempt: 1, reason, status: null, attempts: [] };
  return outcome(row(clean, { status: 'released', release }), 'ok', { cost: null });
}

it('rule N4 accepts the loss of an answer without a cost if its gateway died', () => {
  const { checks } = audit(uncharged(cleanEvidence(), 'the gateway that served it was lost'));
  assert.equal(checks.find((check) => check.id === 'rule N4')?.violations, []);
});

function sampled(clean: Evidence, members: Partial<Evidence['samples'][number]['accounts'][number]>): Evidence {
  return {
    ...clean,
    samples: clean.samples.map((each) => ({ ...each, accounts: each.accounts.map((one) => ({ ...one, ...members })) })),
  };
}

function outcome(clean: Evidence, type: 'ok' | 'fail', members: object, op?: number): Evidence {
  const bent = clean.history.map((each) =>
    each.type === type && (op === undefined || each.op === op) ? ({ ...each, ...members } as HistoryEntry) : each,
  );
  return { ...clean, history: bent };
}

test.run();
