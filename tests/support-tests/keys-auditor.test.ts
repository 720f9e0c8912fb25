/** The rules on keys, audit logs and payments find what they look for. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditEntry, EMPTY_LOG, hashAudit } from '../../actors/audit/audit-entry.ts';
import type { Credential } from '../../actors/key/credential.ts';
import type { Generation } from '../../actors/terms/hold.ts';
import { auditKeys } from '../support/auditor/audit-keys.ts';
import type { Evidence, LedgerLine } from '../support/auditor/evidence.ts';
import { join } from '../support/auditor/joined.ts';
import type { KeyChange, KeyEvidence, KeyUse } from '../support/auditor/key-evidence.ts';
import type { PaymentEvidence } from '../support/auditor/payment-evidence.ts';
import { paymentsCreditOnce } from '../support/auditor/payments.ts';
import { bounded } from '../support/bounded.ts';
import { cleanEvidence } from './clean-evidence.ts';

const it = bounded(test);

const HASH = 'ab'.repeat(32);
const KEY = 'key:a/key_1';
const REFUSAL = '{"error":{"code":401}}';
const DEAD_AT = 1_000;

const change = (what: KeyChange['what'], at: number, more: Partial<KeyChange> = {}): KeyChange => ({
  ...{ account: 'account:a', hash: HASH, what, at, endAt: at, status: 200 },
  ...more,
});
const use = (at: number, more: Partial<KeyUse> = {}): KeyUse => ({
  ...{ hash: HASH, way: 'turn' as const, at, endAt: at + 10, status: 401, refusal: null },
  ...more,
});
const row = (createdAt: number): Evidence['ledger']['generations'][number] => ({
  account: 'account:a',
  row: { generation: `gen-${createdAt}`, key: KEY, createdAt } as Generation,
});
const withRows = (...at: number[]): Evidence => {
  const clean = cleanEvidence();
  return { ...clean, clockSlackMs: 100, ledger: { ...clean.ledger, generations: at.map(row) } };
};

function entries(...actions: string[]): readonly AuditEntry[] {
  const log: AuditEntry[] = [];
  for (const action of actions) {
    const previous = log.at(-1)?.hash ?? EMPTY_LOG.hash;
    const by = { kind: 'key', id: 'key:a/key_0' } as const;
    const entry = { account: 'a', sequence: log.length + 1, at: 1, action, target: KEY, by, detail: {}, previous };
    log.push({ ...entry, result: 'done', hash: hashAudit({ ...entry, result: 'done' }) });
  }
  return log;
}

/** A key that is made with 2 requests a minute, spent to its limit, raised, and revoked. */
function clean(): KeyEvidence {
  const log = entries('key.create', 'key.edit', 'key.edit', 'key.revoke');
  return {
    changes: [
      change('create', 0, { status: 201, perMinute: 2, limit: '1' }),
      change('limit', 100, { limit: '0' }),
      change('limit', 2_500, { limit: '1' }),
      change('revoke', 3_000 + DEAD_AT),
    ],
    uses: [
      use(50, { status: 200 }),
      use(2_200, { status: 402 }),
      use(6_100),
      use(6_200, { way: 'read', refusal: REFUSAL }),
    ],
    misused: [
      { what: 'GET /keys', status: 403 },
      { what: 'GET /credits', status: null },
    ],
    trades: [
      { granted: 1, unknown: 0, refusals: ['no', 'no'] },
      { granted: 0, unknown: 1, refusals: [] },
    ],
    searched: [{ where: 'the store', found: false }],
    credentials: [{ key: KEY, handle: HASH } as Credential],
    logs: [{ account: 'a', entries: log, opening: EMPTY_LOG, head: log.at(-1) as AuditEntry }],
  };
}

it('a valid run of keys is clean, and every rule examined something', () => {
  for (const check of auditKeys(clean(), join(withRows(100, 200)))) {
    assert.equal(check.violations, [], check.id);
    assert.ok(check.examined > 0, `${check.id} examined nothing`);
  }
});

type Bend = (keys: KeyEvidence) => Partial<KeyEvidence>;
const LIES: readonly (readonly [check: string, title: string, bend: Bend, rows?: readonly number[]])[] = [
  ['rule K4', 'a 401 that differs', (k) => ({ uses: [...k.uses, use(6_300, { way: 'read', refusal: 'gone' })] })],
  ['rule K23', 'two keys for one code', () => ({ trades: [{ granted: 2, unknown: 0, refusals: [] }] })],
  ['rule K23', 'a code that nobody could trade', () => ({ trades: [{ granted: 0, unknown: 0, refusals: ['no'] }] })],
  ['rule K23', 'refusals that differ', () => ({ trades: [{ granted: 1, unknown: 0, refusals: ['no', 'used'] }] })],
  ['rule K3', 'a key text in the store', () => ({ searched: [{ where: 'the store', found: true }] })],
  ['rule K7', 'a turn 2 s after the revocation', (k) => ({ uses: [...k.uses, use(6_100, { status: 200 })] })],
  [
    'rule K7',
    'a read 2 s after the revocation',
    (k) => ({ uses: [...k.uses, use(6_100, { way: 'read', status: 200 })] }),
  ],
  ['rule K7', 'a hold long after the revocation', () => ({}), [6_200]],
  ['rule E13', 'three requests in a minute', () => ({}), [10, 20, 30]],
  ['rule K9', 'a management key that reads spend', () => ({ misused: [{ what: 'GET /credits', status: 200 }] })],
  ['rule K62', 'a turn beyond the limit', (k) => ({ uses: [...k.uses, use(2_300, { status: 200 })] })],
  ['rule K20', 'a change without an entry', (k) => ({ changes: [...k.changes, change('move', 3_500)] })],
  [
    'rule K20',
    'a log without its newest entry',
    (k) => ({ logs: k.logs.map((log) => ({ ...log, entries: log.entries.slice(0, 3) })) }),
  ],
  [
    'rule K20',
    'an entry that was edited',
    (k) => ({
      logs: k.logs.map((log) => ({ ...log, entries: log.entries.map((one) => ({ ...one, action: 'key.create' })) })),
    }),
  ],
];

for (const [id, title, bend, rows = [100, 200]] of LIES) {
  it(`${id} finds ${title}`, () => {
    const keys = clean();
    const checks = auditKeys({ ...keys, ...bend(keys) }, join(withRows(...rows)));
    assert.ok(checks.find((check) => check.id === id)?.violations.length, id);
    assert.equal(
      checks.filter((check) => check.id !== id && check.violations.length > 0).map((check) => check.id),
      [],
    );
  });
}

it('a key that is enabled again, and one that dies of an unknown outcome, may be used', () => {
  const keys = clean();
  const changes = [change('disable', 0), change('enable', 5_000), change('revoke', 6_000, { status: null })];
  const uses = [use(5_500, { status: 200 }), use(9_000, { status: 200 })];
  const checks = auditKeys({ ...keys, changes, uses, logs: [] }, join(withRows()));
  assert.equal(checks.find((check) => check.id === 'rule K7')?.violations, []);
});

const PAID = { account: 'account:a', payer: '0xA1', nonce: '0x1', amount: '2', statuses: [0, 200] };
const SETTLED = { network: 'n', payer: '0xa1', nonce: '0x1', transaction: '0xt', amount: '2000000' };
const DEPOSIT = {
  ...{ id: 'dep_1', address: 'account:a', amount: '2', reason: null, at: 1, sequence: 1, balance: '2' },
  source: { rail: 'x402', network: 'n', payer: '0xa1', transaction: '0xt' },
} as const;
const LINE: LedgerLine = {
  ...{ account: 'account:a', sequence: 1, type: 'deposit', amount: '2', balance: '2', generation: null, ref: 'dep_1' },
};
const RECORD = { id: 'dep_1', account: 'a', status: 'credited' } as PaymentEvidence['payments'][number];

function paid(over: Partial<PaymentEvidence> = {}, lines: readonly LedgerLine[] = [LINE]): readonly string[] {
  const evidence = cleanEvidence();
  const payments = {
    ...{ presented: [{ ...PAID, credited: [{ id: 'dep_1', balance: '2' }] }], settled: [SETTLED], deposits: [DEPOSIT] },
    ...{ payments: [RECORD], decimals: 6, ...over },
  };
  const check = paymentsCreditOnce(payments, join({ ...evidence, ledger: { ...evidence.ledger, entries: lines } }));
  assert.ok(check.examined > 0);
  return check.violations;
}

it('a payment that is settled and credited once is clean', () => {
  assert.equal(paid(), []);
});

const WRONG: readonly (readonly [title: string, Partial<PaymentEvidence>, (readonly LedgerLine[])?])[] = [
  ['is not credited', { deposits: [] }],
  ['is credited as two deposits', { deposits: [DEPOSIT, { ...DEPOSIT, id: 'dep_2' }] }],
  ['has two ledger lines', {}, [LINE, { ...LINE, sequence: 2 }]],
  ['has no ledger line', {}, []],
  [
    'is credited to another account',
    { deposits: [{ ...DEPOSIT, address: 'account:b' }] },
    [{ ...LINE, account: 'account:b' }],
  ],
  ['is credited with another amount', { deposits: [{ ...DEPOSIT, amount: '3' }] }],
  ['was never settled', { settled: [] }],
  ['is still pending', { payments: [{ ...RECORD, status: 'pending' }] }],
  [
    'is told two balances',
    {
      presented: [
        {
          ...PAID,
          credited: [
            { id: 'dep_1', balance: '2' },
            { id: 'dep_1', balance: '4' },
          ],
        },
      ],
    },
  ],
];
for (const [title, over, lines] of WRONG) {
  it(`rule K47 finds a payment that ${title}`, () => {
    assert.ok(paid(over, lines).length > 0);
  });
}

test.run();
