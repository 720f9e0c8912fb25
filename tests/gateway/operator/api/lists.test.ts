import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { paidInCollection } from '../../../../actors/account/deposits.ts';
import { generationCollection } from '../../../../actors/account/generation.ts';
import { profileCollection } from '../../../../actors/account/profile.ts';
import { ledgerOpeningCollection } from '../../../../actors/account/prune-ledger.ts';
import { auditKind } from '../../../../actors/audit/audit.ts';
import { batchCollection } from '../../../../actors/batch/batch-record.ts';
import { paymentCollection } from '../../../../actors/payment/payment-state.ts';
import type { Collection, Json } from '../../../../actors/runtime/index.ts';
import { deliveryCollection } from '../../../../actors/webhook/delivery-record.ts';
import { accountChangeRoutes } from '../../../../gateway/operator/api/account/changes.ts';
import { accountRoutes } from '../../../../gateway/operator/api/accounts.ts';
import { auditRoutes } from '../../../../gateway/operator/api/audit.ts';
import { jobRoutes } from '../../../../gateway/operator/api/jobs.ts';
import { moneyRoutes } from '../../../../gateway/operator/api/money.ts';
import { bounded } from '../../../support/bounded.ts';
import { answerTo, clusterOf, openPort, type Port } from '../port.ts';
import { StoredRows } from '../stored-rows.ts';

const it = bounded(test);
const CHANGES = accountChangeRoutes({ approvalAboveUsd: () => '100', management: {} as never });
const ROUTES = [...accountRoutes, ...CHANGES, ...auditRoutes, ...jobRoutes, ...moneyRoutes];
const LEDGER: Collection = { sort: ({ sequence }: { readonly sequence: number }) => sequence };

/** Three accounts, of which one does not load; the events that actors are asked. */
async function threeAccounts() {
  const rows = new StoredRows();
  const names = ['Acme', 'Blue', 'Cove'];
  for (const [at, name] of names.entries()) {
    const account = `account:acct_${at + 1}`;
    const status = name === 'Blue' ? 'suspended' : 'open';
    rows.put('profile', profileCollection, account, account, { account, name, status, createdAt: at });
  }
  const asked: Json[] = [];
  const port = await openPort(ROUTES);
  port.cluster = clusterOf({
    rows,
    operator: { ps: async () => ({ quarantined: [{ address: 'account:acct_3', fault: 'no chart 9' }] }) },
    ask: async (_: string, event: Json) => {
      asked.push(event);
      return { status: 'suspended', amount: '-2', balance: '8' };
    },
  });
  return { rows, port, asked };
}

async function read(port: Port, target: string) {
  const answer = await answerTo(port, 'GET', target);
  assert.is(answer.slice(0, 3), '200', answer);
  return JSON.parse(answer.slice(4));
}

const members = async (port: Port, target: string, name: string): Promise<unknown[]> =>
  (await read(port, target)).data.map((one: Readonly<Record<string, unknown>>) => one[name]);

it('accounts are found by name, id and status; one that does not load is a row with its status (rule K39)', async () => {
  const { rows, port } = await threeAccounts();
  const entry = { sequence: 1, at: 1, type: 'deposit', from: 'outside', amount: '5', ref: 'dep_1', key: null };
  rows.put('ledger', LEDGER, 'account:acct_1', '000000000001', { ...entry, account: 'account:acct_1', balance: '5' });
  const hold = { generation: 'gen-1', status: 'running', amount: '0.5', createdAt: 3, gateway: 'i1', sessionId: null };
  rows.put('generation', generationCollection(null), 'account:acct_1', 'gen-1', hold);
  assert.equal(await members(port, '/api/accounts', 'status'), ['quarantined', 'suspended', 'active']);
  assert.equal(await members(port, '/api/accounts?query=cO', 'name'), ['Cove']);
  assert.equal(await members(port, '/api/accounts?query=ov', 'name'), [], 'a name is found by its beginning');
  assert.equal(await members(port, '/api/accounts?query=ACME', 'id'), ['acct_1']);
  assert.equal(await members(port, '/api/accounts?query=acct_2', 'id'), ['acct_2']);
  assert.equal(await members(port, '/api/accounts?status=suspended', 'id'), ['acct_2']);
  assert.equal(await members(port, '/api/accounts?status=quarantined', 'id'), ['acct_3']);
  const one = await read(port, '/api/accounts/acct_1');
  assert.equal([one.balance, one.held, one.available], ['5', '0.5', '4.5']);
  assert.equal(one.holds[0].releases, '0.5');
  const { why } = await read(port, '/api/accounts/acct_3');
  assert.match(why[0], /does not load \(no chart 9\)/);
  assert.match(await answerTo(port, 'GET', '/api/accounts/acct_9'), /^404/);
  port.close();
});

it('an adjustment above the configured amount wants a second person, and says first what it would do', async () => {
  const { port, asked } = await threeAccounts();
  const adjust = (body: object) =>
    answerTo(port, 'POST', '/api/accounts/acct_1/adjust', {
      body: JSON.stringify({ reason: 'a wrong price', ...body }),
    });
  assert.match(await adjust({ usd: '100.01' }), /^400 .*approvedBy/);
  assert.match(await adjust({ usd: 'ten' }), /^400 .*usd/);
  assert.match(
    await adjust({ usd: '-2', dryRun: true }),
    /^200 .*take 2 USD from.*troupe accounts adjust acct_1 2 --take/,
  );
  assert.equal(asked, []);
  assert.match(await adjust({ usd: '-2' }), /^200 .*adjusted account:acct_1 by -2 USD/);
  const suspend = await answerTo(port, 'POST', '/api/accounts/acct_1/suspend', { body: '{"reason":"abuse"}' });
  assert.match(suspend, /^200 .*account:acct_1 is suspended/);
  assert.equal(
    asked.map((event) => (event as { readonly type: string }).type),
    ['adjustment.record', 'audit.record', 'account.suspend'],
  );
  port.close();
});

it('jobs, webhooks, ledger, deposits and the audit log are lists over all accounts with names (rule K39)', async () => {
  const { rows, port } = await threeAccounts();
  const batch = (n: number) => `batch_00000000000${n}${'0'.repeat(20)}`;
  for (const [n, status] of [
    [1, 'completed'],
    [2, 'in_progress'],
    [3, 'completed'],
  ] as const) {
    const counts = { total: 4, completed: n, failed: 0 };
    const body = { id: batch(n), account: `acct_${n}`, status, counts, bodies: null, createdAt: n };
    rows.put('batch', batchCollection, `batch:acct_${n}/${batch(n)}`, batch(n), body);
  }
  assert.equal(await members(port, '/api/jobs?kind=batch', 'accountName'), ['Cove', 'Blue', 'Acme']);
  assert.equal(await members(port, '/api/jobs?kind=batch&status=completed', 'progress'), [
    '3 of 4 lines',
    '1 of 4 lines',
  ]);
  assert.equal(await members(port, '/api/jobs?kind=batch&status=completed&account=Blue', 'id'), []);
  const attempts = [{ at: 1, outcome: '5xx' }];
  const delivery = { id: 'evt_1', account: 'acct_1', status: 'waiting', url: 'https://a.example/secret', attempts };
  rows.put('delivery', deliveryCollection, 'webhook:acct_1/evt_1', 'evt_1', { ...delivery, createdAt: 1 });
  const [hook] = (await read(port, '/api/webhooks?status=waiting')).data;
  assert.equal([hook.url, hook.lastFailure, hook.attempts], ['a.example', '5xx', 1]);

  const paid = { id: 'dep_1', amount: '5', reason: 'wire', at: 7, sequence: 1, balance: '5' };
  rows.put('deposit', paidInCollection, 'account:acct_1', 'dep_1', paid);
  const payment = { id: 'dep_2', account: 'acct_2', status: 'review', amount: '1', reason: 'no answer', createdAt: 9 };
  rows.put('payment', paymentCollection, 'payment:dep_2', 'dep_2', payment);
  assert.equal(await members(port, '/api/deposits', 'id'), ['dep_2', 'dep_1']);
  assert.equal(await members(port, '/api/deposits?status=review', 'accountName'), ['Blue']);
  assert.equal(await members(port, '/api/deposits?account=Acme', 'why'), ['wire']);

  const entry = { account: 'account:acct_1', sequence: 1, at: 7, type: 'deposit', from: 'outside', key: null };
  rows.put('ledger', LEDGER, 'account:acct_1', '000000000001', { ...entry, amount: '5', ref: 'dep_1', balance: '5' });
  rows.put('ledger', LEDGER, 'account:acct_1', '000000000002', {
    ...{ ...entry, sequence: 2, type: 'charge', from: 'balance' },
    ...{ amount: '0.25', ref: 'gen-1', balance: '4.75' },
  });
  assert.equal(await members(port, '/api/ledger?account=Acme', 'amount'), ['-0.25', '5']);
  assert.equal(await members(port, '/api/ledger?account=Acme', 'note'), [null, 'wire']);
  const opening = { account: 'account:acct_1', month: '2026-01', sequence: 0, hash: '', balance: '0', deposits: '0' };
  rows.put('ledger-opening', ledgerOpeningCollection, 'account:acct_1', '2026-01', opening);
  assert.equal(await members(port, '/api/ledger?account=Acme', 'kind'), ['charge', 'deposit', 'opening']);
  assert.equal(await members(port, '/api/ledger?account=Acme&limit=1', 'source'), ['gen-1']);
  port.close();
});

it('the audit log of all accounts is in the order of time, and of one account in its own order (rule K20)', async () => {
  const { rows, port } = await threeAccounts();
  const { audit, 'audit-place': places } = auditKind.collections as Readonly<Record<string, Collection>>;
  const write = (account: string, sequence: number, at: number, action: string): void => {
    const detail = { reason: `why ${at}`, amount: '1' };
    const entry = { account, sequence, at, action, target: 'key:1', by: { kind: 'operator', id: 'ada' }, detail };
    const id = String(sequence).padStart(12, '0');
    rows.put('audit', audit as Collection, `audit:${account}/log`, id, entry);
    rows.put('audit-place', places as Collection, `audit:${account}/log`, `${account} ${id}`, entry);
  };
  write('acct_1', 1, 10, 'key.create');
  write('acct_2', 1, 20, 'key.disable');
  write('operator', 1, 30, 'inflight.stop');
  write('acct_1', 2, 40, 'key.disable');
  assert.equal(await members(port, '/api/audit', 'reason'), ['why 40', 'why 30', 'why 20', 'why 10']);
  assert.equal(await members(port, '/api/audit', 'accountName'), ['Acme', null, 'Blue', 'Acme']);
  assert.equal(await members(port, '/api/audit?action=key.disable', 'at'), [40, 20]);
  assert.equal(await members(port, '/api/audit?account=Acme', 'at'), [40, 10]);
  assert.equal(await members(port, '/api/audit?account=Acme&action=key.create', 'detail'), ['{"amount":"1"}']);
  const first = await read(port, '/api/audit?account=Acme&limit=1');
  assert.equal(await members(port, `/api/audit?account=Acme&limit=1&cursor=${first.next}`, 'at'), [10]);
  port.close();
});

test.run();
