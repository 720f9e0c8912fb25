import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RowRecord } from '../../../../actors/runtime/index.ts';
import { keyDigest } from '../../../../actors/terms/ids.ts';
import type { Refusal } from '../../../../actors/terms/refusal.ts';
import { UNAUTHENTICATED } from '../../../../actors/terms/unauthenticated.ts';
import { type Authenticated, Authentication, type Policy } from '../../../../gateway/edge/auth/authentication.ts';
import type { Budgets } from '../../../../gateway/edge/auth/budgets.ts';
import { readCredential } from '../../../../gateway/edge/auth/request-credential.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const PEPPER = Buffer.alloc(32, 7);
const KEY = `sk-gw-v1-${'a'.repeat(64)}`;
const MANAGEMENT = `sk-gw-v1-${'b'.repeat(64)}`;
const LIMITED: Refusal = {
  status: 429,
  type: 'rate_limit_exceeded',
  message: 'too many',
  window: { limit: 120, resetAt: 60_000 },
};

class Bench {
  now = 1_000;
  lookups = 0;
  readonly counted: string[] = [];
  readonly refusals = new Map<string, Refusal>();
  readonly authentication: Authentication;

  constructor() {
    const count = (name: string): Promise<Refusal | null> => {
      this.counted.push(name);
      return Promise.resolve(this.refusals.get(name) ?? null);
    };
    const budgets: Budgets = {
      countKey: count,
      countUnknown: (digest) => count(`unknown ${digest.slice(0, 6)}`),
      countAddress: (address) => count(`address ${address}`),
      grantSlice: () => Promise.reject(new Error('not used here')),
      returnSlice: () => {},
    };
    const rowById = (_collection: string, id: string): Promise<RowRecord | null> => {
      this.lookups++;
      const kind = id === keyDigest(PEPPER, KEY) ? 'inference' : 'management';
      if (kind === 'management' && id !== keyDigest(PEPPER, MANAGEMENT)) return Promise.resolve(null);
      const state = { status: 'active', expiresAt: null };
      const body = JSON.stringify({ account: 'account:a', key: `key:a/${kind}`, kind, ...state });
      const row = { address: `key:a/${kind}`, collection: 'credential', id, sort: 0, index: [], open: false };
      return Promise.resolve({ ...row, body, expiresAt: null });
    };
    const rows = { rowById, row: () => Promise.resolve(null), rows: () => Promise.resolve([]) };
    const cluster = { rows, now: () => this.now };
    this.authentication = new Authentication({ cluster, budgets, pepper: PEPPER, callersMax: 100, deadKeyMs: 2_000 });
  }

  /** Returns the context after authentication, and its refusal. */
  async enter(
    headers: { readonly authorization?: string[]; readonly apiKey?: string[] },
    policy: Policy = 'key',
  ): Promise<{ readonly context: Authenticated; readonly refusal: GatewayError | null }> {
    const head = { authorizations: headers.authorization ?? [], apiKeys: headers.apiKey ?? [], hosts: 1, count: 3 };
    const credential = readCredential(head);
    const context: Authenticated = { credential, caller: null, digest: null, counted: false };
    try {
      await this.authentication.enter(context, policy, { remoteAddress: '10.0.0.1' });
      return { context, refusal: null };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { context, refusal: error };
    }
  }
}

const BAD: readonly (readonly [string, { authorization?: string[]; apiKey?: string[] }])[] = [
  ['no credential', {}],
  ['Basic', { authorization: ['Basic YTpi'] }],
  ['two Authorization headers', { authorization: [`Bearer ${KEY}`, `Bearer ${KEY}`] }],
  ['two x-api-key headers', { apiKey: [KEY, KEY] }],
  ['a conflict of both headers', { authorization: [`Bearer ${KEY}`], apiKey: [MANAGEMENT] }],
  ['Basic beside a good x-api-key', { authorization: ['Basic YTpi'], apiKey: [KEY] }],
  ['a key without its scheme', { authorization: [KEY] }],
  ['upper-case hex', { authorization: [`Bearer sk-gw-v1-${'A'.repeat(64)}`] }],
  ['another prefix', { authorization: [`Bearer sk-other-v1-${'a'.repeat(64)}`] }],
  ['text after the key', { authorization: [`Bearer ${KEY} x`] }],
  ['digits of another script', { authorization: [`Bearer sk-gw-v1-${'٣'.repeat(64)}`] }],
  ['an unknown key', { authorization: [`Bearer sk-gw-v1-${'c'.repeat(64)}`] }],
];

for (const [what, headers] of BAD) {
  it(`answers the one 401 to ${what}, and counts the attempt`, async () => {
    const bench = new Bench();
    const { context, refusal } = await bench.enter(headers);
    assert.is(refusal?.status, 401);
    assert.is(refusal?.message, UNAUTHENTICATED.message);
    assert.equal(refusal?.headers, {});
    assert.is(context.caller, null);
    assert.is(bench.counted.length, 1);
  });
}

it('finds a key in either header, or in both if they agree, and reads its row once', async () => {
  const bench = new Bench();
  for (const headers of [
    { authorization: [`Bearer ${KEY}`] },
    { apiKey: [KEY] },
    { authorization: [`bearer ${KEY}`], apiKey: [KEY] },
  ]) {
    const { context, refusal } = await bench.enter(headers);
    assert.is(refusal, null);
    assert.is(context.caller?.key, 'key:a/inference');
  }
  assert.is(bench.lookups, 1);
  assert.equal(bench.counted, []);
});

it('answers a management key 403 on a route that spends, after charging its budget', async () => {
  const bench = new Bench();
  for (const round of [1, 2]) {
    const { refusal } = await bench.enter({ authorization: [`Bearer ${MANAGEMENT}`] });
    assert.is(refusal?.status, 403);
    assert.is(refusal?.type, 'permission_denied');
    assert.is(bench.counted.length, round);
  }
  bench.refusals.set('key:a/management', UNAUTHENTICATED);
  assert.is((await bench.enter({ authorization: [`Bearer ${MANAGEMENT}`] })).refusal?.status, 401);
});

it('admits every request to an open route, but counts a credential that is sent', async () => {
  const bench = new Bench();
  assert.is((await bench.enter({}, 'open')).refusal, null);
  assert.equal(bench.counted, []);
  assert.is((await bench.enter({ authorization: [`Bearer ${KEY}`] }, 'open')).refusal, null);
  assert.is((await bench.enter({ authorization: ['Bearer sk-nonsense'] }, 'open')).refusal, null);
  assert.is(bench.counted.length, 2);
  bench.refusals.set('key:a/inference', LIMITED);
  assert.is((await bench.enter({ authorization: [`Bearer ${KEY}`] }, 'open')).refusal?.status, 429);
});

it('remembers a used-up window until its reset, without another ask', async () => {
  const bench = new Bench();
  const { context } = await bench.enter({ authorization: [`Bearer ${KEY}`] });
  bench.refusals.set('key:a/inference', LIMITED);
  assert.is((await bench.authentication.count(context))?.status, 429);
  bench.now = 30_500;
  const { refusal } = await bench.enter({ authorization: [`Bearer ${KEY}`] });
  assert.is(refusal?.status, 429);
  assert.equal(refusal?.headers, {
    'retry-after': '30',
    'x-ratelimit-limit': '120',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '60',
  });
  assert.is(bench.counted.length, 1);
  bench.now = 60_000;
  assert.is((await bench.enter({ authorization: [`Bearer ${KEY}`] })).refusal, null);
});

it('counts a dead key before anything else for a while, then follows its actor again', async () => {
  const bench = new Bench();
  const headers = { authorization: [`Bearer ${KEY}`] };
  const { context } = await bench.enter(headers);
  bench.refusals.set('key:a/inference', UNAUTHENTICATED);
  assert.is((await bench.authentication.count(context))?.status, 401);
  assert.is((await bench.enter(headers)).refusal?.status, 401);
  assert.is(bench.counted.length, 2);
  bench.refusals.clear();
  assert.is((await bench.enter(headers)).refusal, null);
  assert.is(bench.counted.length, 3);
  assert.is((await bench.enter(headers)).refusal, null);
  assert.is(bench.counted.length, 3);
});

it('caches the look-up of an unknown key for a while, and counts every attempt', async () => {
  const bench = new Bench();
  const headers = { authorization: [`Bearer sk-gw-v1-${'d'.repeat(64)}`] };
  for (let i = 0; i < 5; i++) assert.is((await bench.enter(headers)).refusal?.status, 401);
  assert.is(bench.lookups, 1);
  assert.is(bench.counted.length, 5);
  bench.now += 2_001;
  await bench.enter(headers);
  assert.is(bench.lookups, 2);
});

it('counts a request at most once', async () => {
  const bench = new Bench();
  const { context } = await bench.enter({ authorization: [`Bearer ${KEY}`] });
  await bench.authentication.count(context);
  await bench.authentication.count(context);
  assert.equal(bench.counted, ['key:a/inference']);
});

test.run();
