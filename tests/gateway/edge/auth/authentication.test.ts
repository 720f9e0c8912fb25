import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { queueFull } from '../../../../actors/account/queue.ts';
import type { RowRecord } from '../../../../actors/runtime/index.ts';
import { keyDigest } from '../../../../actors/terms/ids.ts';
import { secretDigest } from '../../../../actors/terms/one-time.ts';
import type { Refusal } from '../../../../actors/terms/refusal.ts';
import { NO_VALID_KEY, UNAUTHENTICATED } from '../../../../actors/terms/refusal.ts';
import { type Authenticated, Authentication, type Policy } from '../../../../gateway/edge/auth/authentication.ts';
import type { Budgets } from '../../../../gateway/edge/auth/budgets.ts';
import { readCredential } from '../../../../gateway/edge/auth/request-credential.ts';
import { SESSION_COOKIE } from '../../../../gateway/edge/auth/session-cookie.ts';
import { ClientAddresses } from '../../../../gateway/http/client-addresses.ts';
import { GatewayError, refusalError } from '../../../../gateway/terms/gateway-error.ts';
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
  /** A look-up answers after this. */
  lookedUp: Promise<void> = Promise.resolve();
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
      countSession: (digest) => count(`session ${digest}`),
      countAddress: (address) => count(`address ${address}`),
      grantSlice: () => Promise.reject(new Error('not used here')),
      returnSlice: () => {},
      reportAskers: () => {},
      grantPart: () => Promise.reject(new Error('not used here')),
    };
    const rowById = async (_collection: string, id: string): Promise<RowRecord | null> => {
      this.lookups++;
      await this.lookedUp;
      const kind = id === keyDigest(PEPPER, KEY) ? 'inference' : 'management';
      if (kind === 'management' && id !== keyDigest(PEPPER, MANAGEMENT)) return null;
      const state = { status: 'active', expiresAt: null };
      const body = JSON.stringify({ account: 'account:a', key: `key:a/${kind}`, kind, ...state });
      const row = { address: `key:a/${kind}`, collection: 'credential', id, sort: 0, index: [], open: false };
      return { ...row, body, expiresAt: null };
    };
    const rows = { rowById, row: () => Promise.resolve(null), rows: () => Promise.resolve([]) };
    const cluster = { rows, now: () => this.now };
    this.authentication = new Authentication({
      cluster,
      budgets,
      pepper: PEPPER,
      callersMax: 100,
      deadKeyMs: 2_000,
      clients: new ClientAddresses([]),
    });
  }

  /** Returns the context after authentication, and its refusal. */
  async enter(
    headers: { readonly authorization?: string[]; readonly apiKey?: string[]; readonly cookie?: string },
    policy: Policy = 'key',
  ): Promise<{ readonly context: Authenticated; readonly refusal: GatewayError | null }> {
    const head = { authorizations: headers.authorization ?? [], apiKeys: headers.apiKey ?? [], hosts: 1, count: 3 };
    const credential = readCredential(head);
    const context: Authenticated = { credential, caller: null, address: null, digest: null, counted: false };
    try {
      await this.authentication.enter(context, policy, {
        socket: { remoteAddress: '10.0.0.1' },
        headers: headers.cookie === undefined ? {} : { cookie: headers.cookie },
      });
      return { context, refusal: null };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { context, refusal: error };
    }
  }
}

const ADDRESS = 'address v4-10.0.0.1';

const NOTHING = 'no key was sent; send it as';
const EMPTY = 'the header holds no key; send it as';
const SCHEME = 'the Authorization header must be `Bearer KEY`';
const SEVERAL = 'the headers hold more than one key';
const REFUSED = 'the key that was sent is not accepted';

type Bad = readonly [what: string, headers: { authorization?: string[]; apiKey?: string[] }, words: string];

/** Requests without a key, or with something else than one, and the words of their 401. */
const BAD: readonly Bad[] = [
  ['no credential', {}, NOTHING],
  ['Basic', { authorization: ['Basic YTpi'] }, SCHEME],
  ['two Authorization headers', { authorization: [`Bearer ${KEY}`, `Bearer ${KEY}`] }, SEVERAL],
  ['two x-api-key headers', { apiKey: [KEY, KEY] }, SEVERAL],
  ['a conflict of both headers', { authorization: [`Bearer ${KEY}`], apiKey: [MANAGEMENT] }, SEVERAL],
  ['Basic beside a good x-api-key', { authorization: ['Basic YTpi'], apiKey: [KEY] }, SCHEME],
  ['a key without its scheme', { authorization: [KEY] }, SCHEME],
  ['an unknown key without its scheme', { authorization: [`sk-gw-v1-${'c'.repeat(64)}`] }, SCHEME],
  ['text after the key', { authorization: [`Bearer ${KEY} x`] }, SCHEME],
  ['a scheme without a key', { authorization: ['Bearer'] }, EMPTY],
  ['an empty x-api-key', { apiKey: [''] }, EMPTY],
];
const foreign = (prefix: string): string => `keys that begin with ${prefix} belong to another service`;
/** Requests with one key that is wrong. */
const WRONG: typeof BAD = [
  ['upper-case hex', { authorization: [`Bearer sk-gw-v1-${'A'.repeat(64)}`] }, REFUSED],
  ['another prefix', { authorization: [`Bearer sk-other-v1-${'a'.repeat(64)}`] }, REFUSED],
  ['digits of another script', { authorization: [`Bearer sk-gw-v1-${'٣'.repeat(64)}`] }, REFUSED],
  ['an unknown key', { authorization: [`Bearer sk-gw-v1-${'c'.repeat(64)}`] }, REFUSED],
  ['an unknown key in x-api-key', { apiKey: [`sk-gw-v1-${'c'.repeat(64)}`] }, REFUSED],
  ['a key of Anthropic', { apiKey: ['sk-ant-api03-abc'] }, foreign('sk-ant-')],
  ['a key of OpenRouter', { authorization: ['Bearer sk-or-v1-abc'] }, foreign('sk-or-')],
  ['a key of OpenAI', { authorization: ['bearer sk-proj-abc'] }, foreign('sk-proj-')],
];

for (const [what, headers, words] of [...BAD, ...WRONG]) {
  it(`answers 401 to ${what} in words of its own, and counts the attempt by address, a wrong key by itself too`, async () => {
    const bench = new Bench();
    const { context, refusal } = await bench.enter(headers);
    assert.is(refusal?.status, 401);
    assert.is(refusal?.type, 'authentication');
    assert.ok(refusal?.message.startsWith(`${NO_VALID_KEY}: ${words}`), refusal?.message);
    assert.equal(refusal?.headers, {});
    assert.is(context.caller, null);
    assert.is(context.address, 'v4-10.0.0.1');
    assert.is(bench.counted[0], ADDRESS);
    const wrong = WRONG.some(([name]) => name === what);
    assert.is(bench.counted.length, wrong ? 2 : 1, bench.counted.join());
    // Whatever it looks like, a key is looked up, so that its 401 takes as long.
    assert.is(bench.lookups, wrong ? 1 : 0);
  });
}

for (const policy of ['key', 'open'] as const) {
  it(`an address whose budget is used up is refused on a route with policy ${policy}, whatever it sends`, async () => {
    const bench = new Bench();
    bench.refusals.set(ADDRESS, LIMITED);
    for (const [what, headers] of [...BAD, ...WRONG]) {
      assert.is((await bench.enter(headers, policy)).refusal?.status, 429, what);
    }
    assert.equal(bench.counted, [ADDRESS], 'one ask, and no wrong key is counted');
    bench.now = 60_000;
    bench.refusals.clear();
    assert.is((await bench.enter({}, policy)).refusal?.status ?? 200, policy === 'key' ? 401 : 200);
  });
}

it('the browser of a session known here is counted by its session, any other by its address', async () => {
  const bench = new Bench();
  const [secret, other] = ['1'.repeat(64), '2'.repeat(64)];
  const counted = `session ${secretDigest(PEPPER, 'session', secret)}`;
  const view = (of: string) => bench.enter({ cookie: `${SESSION_COOKIE}=${of}` }, 'open');
  await view(secret);
  bench.authentication.noteSession(secret, true);
  await view(secret);
  await view(other);
  assert.equal(bench.counted, [ADDRESS, counted, ADDRESS]);
  bench.refusals.set(ADDRESS, LIMITED);
  assert.is((await view(other)).refusal?.status, 429, 'the address is used up');
  assert.is((await view(secret)).refusal, null);
  bench.refusals.set(counted, LIMITED);
  assert.is((await view(secret)).refusal?.status, 429);
  assert.is((await view(secret)).refusal?.status, 429);
  assert.is(bench.counted.filter((name) => name === counted).length, 3, 'a used-up window is remembered');
  bench.now = 60_000;
  bench.refusals.clear();
  bench.authentication.noteSession(secret, false);
  await view(secret);
  assert.is(bench.counted.at(-1), ADDRESS, 'a session that has ended is a stranger');
  bench.authentication.noteSession(secret, true);
  await bench.enter({ cookie: `${SESSION_COOKIE}=${secret}` });
  await bench.enter({ cookie: `${SESSION_COOKIE}=${secret}`, authorization: ['Basic YTpi'] }, 'open');
  assert.equal(
    bench.counted.slice(-2),
    [ADDRESS, ADDRESS],
    'it opens no route of the API, and no credential hides in it',
  );
});

it('a valid key enters from an address whose budget is used up, and is counted by itself alone (rule E16)', async () => {
  const bench = new Bench();
  bench.refusals.set(ADDRESS, LIMITED);
  await bench.enter({});
  const { context, refusal } = await bench.enter({ authorization: [`Bearer ${KEY}`] });
  assert.is(refusal, null);
  assert.is(context.address, null);
  assert.equal(bench.counted, [ADDRESS]);
});

it('wrong keys from an address whose budget is used up occupy a bounded part of the store', async () => {
  const bench = new Bench();
  bench.refusals.set(ADDRESS, LIMITED);
  await bench.enter({});
  let release = (): void => {};
  bench.lookedUp = new Promise<void>((resolve) => {
    release = resolve;
  });
  const attempts = Array.from({ length: 100 }, (_, i) =>
    bench.enter({ authorization: [`Bearer sk-gw-v1-${i.toString(16).padStart(64, '0')}`] }),
  );
  assert.is(bench.lookups, 8);
  release();
  for (const attempt of attempts) assert.is((await attempt).refusal?.status, 429);
  assert.equal(bench.counted, [ADDRESS]);
});

it('finds a key in either header, or in both if they agree, and reads its row once (rule K1)', async () => {
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

it('a row is believed for a time that begins with its reading, however slow the store is', async () => {
  const bench = new Bench();
  bench.lookedUp = new Promise((resolve) => setImmediate(resolve)).then(() => {
    bench.now += 1_400;
  });
  await bench.enter({ apiKey: [KEY] });
  bench.lookedUp = Promise.resolve();
  bench.now += 99;
  await bench.enter({ apiKey: [KEY] });
  assert.is(bench.lookups, 1);
  bench.now += 1;
  await bench.enter({ apiKey: [KEY] });
  assert.is(bench.lookups, 2, 'after 1.5 s');
});

it('answers a management key 403 on a route that spends, after charging its budget (rule K9)', async () => {
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

it('admits requests to an open route: without a valid key by address, with one by the key', async () => {
  const bench = new Bench();
  assert.is((await bench.enter({}, 'open')).refusal, null);
  assert.equal(bench.counted, [ADDRESS]);
  const valid = await bench.enter({ authorization: [`Bearer ${KEY}`] }, 'open');
  assert.is(valid.refusal, null);
  assert.is(valid.context.address, null);
  assert.equal(bench.counted, [ADDRESS, 'key:a/inference']);
  assert.is((await bench.enter({ authorization: ['Bearer sk-nonsense'] }, 'open')).refusal, null);
  assert.is(bench.counted.length, 4);
  assert.equal(bench.counted.slice(2, 3), [ADDRESS]);
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

it('a 429 of another limit, which advises a repeat, is not remembered as the window of the key', async () => {
  const bench = new Bench();
  const { context } = await bench.enter({ authorization: [`Bearer ${KEY}`] });
  const error = refusalError(queueFull(10), bench.now);
  assert.equal(error.headers, {
    'retry-after': '10',
    'x-should-retry': 'true',
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil((bench.now + 10_000) / 1_000)),
  });
  bench.authentication.remember(context, error);
  assert.is((await bench.enter({ authorization: [`Bearer ${KEY}`] })).refusal, null);
});

it('counts a dead key before anything else for a while, then follows its actor again', async () => {
  const bench = new Bench();
  const headers = { authorization: [`Bearer ${KEY}`] };
  const { context } = await bench.enter(headers);
  bench.refusals.set('key:a/inference', UNAUTHENTICATED);
  assert.is((await bench.authentication.count(context))?.status, 401);
  assert.is((await bench.enter(headers)).refusal?.status, 401);
  assert.equal(bench.counted.slice(1), [ADDRESS, 'key:a/inference']);
  bench.refusals.clear();
  assert.is((await bench.enter(headers)).refusal, null);
  assert.is(bench.counted.length, 5);
  assert.is((await bench.enter(headers)).refusal, null);
  assert.is(bench.counted.length, 5);
});

it('caches the look-up of an unknown key for a while, and counts every attempt', async () => {
  const bench = new Bench();
  const headers = { authorization: [`Bearer sk-gw-v1-${'d'.repeat(64)}`] };
  for (let i = 0; i < 5; i++) assert.is((await bench.enter(headers)).refusal?.status, 401);
  assert.is(bench.lookups, 1);
  assert.is(bench.counted.length, 10);
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
