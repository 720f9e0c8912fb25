/** Payments by x402 over three nodes, against the simulated facilitator and its faults. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type FacilitatorSimulator, startFacilitator } from '../../gateway/simulator/facilitator/facilitator.ts';
import { bounded } from '../support/bounded.ts';
import { UNLIMITED } from '../support/cluster/shared-cluster.ts';
import { type Funded, startCluster, type TestCluster } from '../support/cluster/start-cluster.ts';
import {
  acceptedIn,
  decoded,
  FACILITATOR_SECRET,
  railOf,
  randomNonce,
  type SignOptions,
  signed,
} from '../support/x402.ts';

const it = bounded(test, 60_000);
const NODES = 3;

let facilitator: FacilitatorSimulator;
let cluster: TestCluster;
let funded: Funded;

test.before(async () => {
  facilitator = await startFacilitator({ secret: FACILITATOR_SECRET });
  cluster = await startCluster({
    nodes: NODES,
    rates: UNLIMITED,
    deposits: { card: { url: 'https://example.com/pay' }, x402: railOf(facilitator.url) },
    env: { FACILITATOR_SECRET },
  });
  funded = await cluster.fund('10');
});
test.after(async () => {
  await cluster.close();
  await facilitator.close();
});

interface Asked {
  readonly node?: number;
  readonly payment?: string;
  readonly key?: string;
  readonly method?: string;
}

const ask = (path: string, { node = 0, payment, key = funded.key, method = 'GET' }: Asked = {}): Promise<Response> =>
  fetch(`${cluster.baseUrls[node % NODES]}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(payment === undefined ? {} : { 'payment-signature': payment }) },
  });
const pay = (amount: string, more: Asked = {}): Promise<Response> =>
  ask(`/deposits/x402?amount=${amount}`, { ...more, method: 'POST' });
const sign = async (amount: string, options: SignOptions = {}): Promise<string> =>
  signed(acceptedIn(await pay(amount)), options);

interface Paid {
  readonly data: {
    readonly deposit_id: string;
    readonly status: string;
    readonly amount: number;
    readonly balance: number | null;
    readonly transaction: string | null;
  };
}
const paid = async (answer: Response): Promise<Paid['data']> => ((await answer.json()) as Paid).data;
const bought = async (key = funded.key): Promise<number> =>
  ((await (await ask('/credits', { key })).json()) as { data: { total_credits: number } }).data.total_credits;
const callsOf = (nonce: string, path: string): number =>
  facilitator.calls.filter((call) => call.nonce === nonce && call.path === path).length;

it('describes its rails, and names what to sign with a 402 (rule K49)', async () => {
  const { rails } = (await (await ask('/deposits/rails')).json()) as { rails: { id: string; min: number }[] };
  assert.equal(
    rails.map(({ id, min }) => [id, min]),
    [
      ['card', 1],
      ['x402', 1],
    ],
  );
  const answer = await pay('25.50');
  assert.is(answer.status, 402);
  const asked = decoded<{ x402Version: number; accepts: object[]; resource: { url: string } }>(
    answer.headers.get('payment-required'),
  );
  const { network, asset, payTo } = railOf('');
  const extra = { name: 'USDC', version: '2' };
  assert.equal(asked.accepts, [
    { scheme: 'exact', network, amount: '25500000', asset, payTo, maxTimeoutSeconds: 600, extra },
  ]);
  assert.equal([asked.x402Version, asked.resource.url], [2, '/api/v1/deposits/x402?amount=25.50']);
  const { error } = (await answer.json()) as { error: { metadata: { error_type: string; accepts: object[] } } };
  assert.equal([error.metadata.error_type, error.metadata.accepts], ['payment_required', asked.accepts]);
});

it('of a hundred repeats on three nodes one payment is credited, and all of them are told the same (rule K47)', async () => {
  const nonce = randomNonce();
  const payment = await sign('5', { nonce });
  const before = await bought();
  const answers = await Promise.all(Array.from({ length: 100 }, (_, node) => pay('5', { node, payment })));
  const told = await Promise.all(answers.map(paid));
  assert.equal([...new Set(answers.map(({ status }) => status))], [200]);
  assert.is(new Set(told.map((data) => JSON.stringify(data))).size, 1);
  const response = decoded<{ success: boolean; transaction: string }>(
    answers[0]?.headers.get('payment-response') ?? '',
  );
  assert.equal([response.success, response.transaction], [true, told[0]?.transaction]);
  assert.is(await bought(), before + 5);
  assert.is(callsOf(nonce, '/settle'), 1);
  const shown = (await (await ask(`/deposits/${told[0]?.deposit_id}`, { node: 2 })).json()) as Record<string, unknown>;
  assert.equal(
    [shown.status, shown.rail, shown.amount, shown.transaction],
    ['credited', 'x402', 5, told[0]?.transaction],
  );
});

it('a payment whose answer was lost is asked for by its nonce and credited once', async () => {
  for (const fault of ['lost', 'unconfirmed', 'error']) {
    const nonce = randomNonce();
    const payment = await sign('2', { nonce, fault });
    const before = await bought();
    const answer = await pay('2', { payment });
    assert.is(answer.status, 200, fault);
    assert.is((await paid(answer)).status, 'credited');
    assert.is(await bought(), before + 2);
    assert.equal(
      [callsOf(nonce, '/settle'), callsOf(nonce, '/settlements') > 0],
      [fault === 'error' ? 2 : 1, true],
      fault,
    );
  }
});

it('a payment that the facilitator refuses costs and credits nothing, and may be presented again', async () => {
  for (const [fault, reason] of [
    ['invalid', 'invalid_signature'],
    ['declined', 'insufficient_funds'],
  ] as const) {
    const payment = await sign('3', { fault });
    const before = await bought();
    const refused = await pay('3', { payment });
    assert.is(refused.status, 402);
    const response = decoded<{ success: boolean; errorReason: string }>(refused.headers.get('payment-response'));
    assert.equal([response.success, response.errorReason], [false, reason]);
    assert.is(await bought(), before);
    assert.is((await pay('3', { payment, node: 1 })).status, 200, 'the fault was for once');
    assert.is(await bought(), before + 3);
  }
});

it('a payment belongs to the account that presented it', async () => {
  const payment = await sign('4');
  assert.is((await pay('4', { payment })).status, 200);
  const other = await cluster.fund('1');
  const refused = await pay('4', { payment, key: other.key });
  assert.is(refused.status, 402);
  assert.is(decoded<{ errorReason: string }>(refused.headers.get('payment-response')).errorReason, 'payment_used');
  assert.is(await bought(other.key), 1);
});

it('one transaction named for two payments credits one; the other waits for an operator (rule K48)', async () => {
  const first = await pay('6', { payment: await sign('6', { fault: 'same-transaction' }) });
  assert.is(first.status, 200);
  const before = await bought();
  const second = await pay('7', { payment: await sign('7', { fault: 'same-transaction' }), node: 1 });
  assert.is(second.status, 202);
  const { deposit_id: id, status } = await paid(second);
  assert.is(status, 'review');
  assert.is(await bought(), before);
  const shown = (await (await ask(`/deposits/${id}`)).json()) as { status: string; reason: string };
  assert.equal([shown.status, shown.reason], ['review', 'transaction_used']);
});

it('a payment that does not meet what was asked is 402 with what to sign; a malformed one is 400 (rule K48)', async () => {
  const accepted = acceptedIn(await pay('5'));
  const refusals: readonly [SignOptions | object, string][] = [
    [{ authorization: { value: '4999999' } }, 'invalid_exact_evm_payload_authorization_value'],
    [{ authorization: { to: `0x${'ee'.repeat(20)}` } }, 'invalid_exact_evm_payload_recipient_mismatch'],
    [{ validForMs: -1_000 }, 'invalid_exact_evm_payload_authorization_valid_before'],
    [{ validForMs: 3_600_000 }, 'invalid_exact_evm_payload_authorization_valid_before'],
    [{ authorization: { validAfter: '99999999999' } }, 'invalid_exact_evm_payload_authorization_valid_after'],
  ];
  for (const [options, reason] of refusals) {
    const answer = await pay('5', { payment: signed(accepted, options) });
    assert.is(answer.status, 402, reason);
    assert.is(decoded<{ error: string }>(answer.headers.get('payment-required')).error, reason);
  }
  for (const other of [
    { amount: '1' },
    { network: 'eip155:1' },
    { asset: '0x00' },
    { scheme: 'upto' },
    { payTo: '' },
  ]) {
    assert.is((await pay('5', { payment: signed({ ...accepted, ...other }) })).status, 402, JSON.stringify(other));
  }
  const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
  const malformed = [
    ...['%', 'e30', base64([]), base64(null), base64({ x402Version: 1 }), base64({ x402Version: 2 })],
    ...[signed(accepted, { nonce: '0x1' }), signed(accepted, { payer: 'me' }), signed(accepted, { signature: 'x' })],
    signed(accepted, { authorization: { validBefore: 5 } }),
  ];
  for (const payment of malformed) assert.is((await pay('5', { payment })).status, 400, payment);
  for (const amount of ['', '0.5', '10001', '-5', '1e3', '5.0000001', 'NaN']) {
    assert.is((await pay(amount)).status, 400, amount);
  }
});

it('lists deposits by age, page by page, and shows none of another account', async () => {
  const own = await cluster.fund('1');
  const ids: string[] = [];
  for (const amount of ['2', '3', '4']) {
    ids.unshift((await paid(await pay(amount, { payment: await sign(amount), key: own.key }))).deposit_id);
  }
  const page = async (query: string) =>
    (await (await ask(`/deposits?${query}`, { key: own.key })).json()) as {
      data: { id: string; rail: string; amount: number }[];
      last_id: string;
      has_more: boolean;
    };
  const first = await page('limit=2');
  assert.equal([first.data.map(({ id }) => id), first.has_more], [ids.slice(0, 2), true]);
  const rest = await page(`limit=2&after=${first.last_id}`);
  assert.equal(
    [rest.data.map(({ rail, amount }) => [rail, amount]), rest.has_more],
    [
      [
        ['x402', 2],
        ['operator', 1],
      ],
      false,
    ],
  );
  for (const path of [`/deposits/${ids[0]}`, `/deposits?after=${ids[0]}`, '/deposits/dep_unknown']) {
    assert.is((await ask(path)).status, 404, path);
  }
  for (const query of ['limit=0', 'limit=101', 'after=%20']) assert.is((await ask(`/deposits?${query}`)).status, 400);
});

test.run();
