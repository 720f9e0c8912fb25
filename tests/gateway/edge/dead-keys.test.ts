/**
 * The cost of keys that do not authenticate, and what they reveal. A client that measures time, or that announces a
 * body and waits, cannot distinguish a revoked key from an unknown one. (rule K4, rule K5)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Credential } from '../../../actors/key/credential.ts';
import type { RowRecord } from '../../../actors/runtime/index.ts';
import { keyDigest, keyHandle } from '../../../actors/terms/ids.ts';
import type { Refusal } from '../../../actors/terms/refusal.ts';
import { UNAUTHENTICATED } from '../../../actors/terms/refusal.ts';
import { type Authenticated, Authentication, type Policy } from '../../../gateway/edge/auth/authentication.ts';
import { readCredential } from '../../../gateway/edge/auth/request-credential.ts';
import { ClientAddresses } from '../../../gateway/http/client-addresses.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const PEPPER = Buffer.alloc(32, 7);
const DEAD_KEY_MS = 2_000;
const CALLERS_MAX = 1_000;
const keyOf = (digit: string): string => `sk-gw-v1-${digit.repeat(64)}`;

/** A budget and row source that answers from a table of credentials and records each step. */
class KeyBackend {
  now = 1_000;
  steps: string[] = [];
  readonly rows = new Map<string, Credential>();
  addressRefusal: Refusal | null = null;
  /** Keys that their actors report alive, whatever their rows contain. */
  readonly alive = new Set<string>();
  readonly authentication: Authentication;

  constructor() {
    const rowById = async (_collection: string, id: string): Promise<RowRecord | null> => {
      this.steps.push('look-up');
      const found = this.rows.get(id);
      if (!found) return null;
      const row = { address: found.key, collection: 'credential', id, sort: 0, index: [], open: false };
      return { ...row, body: JSON.stringify(found), expiresAt: null };
    };
    const count = async (refusal: Refusal | null, what = 'count'): Promise<Refusal | null> => {
      this.steps.push(what);
      return refusal;
    };
    const rows = { rowById, row: async () => null, rows: async () => [] };
    this.authentication = new Authentication({
      cluster: { rows, now: () => this.now },
      budgets: {
        countKey: (key) => count(this.alive.has(key) ? null : UNAUTHENTICATED),
        countUnknown: () => count(null),
        countSession: () => count(null),
        countAddress: () => count(this.addressRefusal, 'count address'),
        grantSlice: () => Promise.reject(new Error('not used here')),
        returnSlice: () => {},
        reportAskers: () => {},
        grantPart: () => Promise.reject(new Error('not used here')),
      },
      pepper: PEPPER,
      callersMax: CALLERS_MAX,
      deadKeyMs: DEAD_KEY_MS,
      clients: new ClientAddresses([]),
    });
  }

  put(text: string, state: Partial<Credential>): Credential {
    const made: Credential = {
      ...{ account: 'account:a', key: 'key:a/k', kind: 'inference', label: 'l', name: 'n', status: 'active' },
      ...{ createdAt: 0, expiresAt: null, handle: keyHandle(text), ...state },
    };
    this.rows.set(keyDigest(PEPPER, text), made);
    return made;
  }

  async enter(key: string, policy: Policy = 'key'): Promise<{ context: Authenticated; refusal: GatewayError | null }> {
    const head = { authorizations: [`Bearer ${key}`], apiKeys: [], hosts: 1, count: 3 };
    const context: Authenticated = {
      credential: readCredential(head),
      caller: null,
      address: null,
      digest: null,
      counted: false,
    };
    try {
      await this.authentication.enter(context, policy, { socket: { remoteAddress: '10.0.0.1' }, headers: {} });
      return { context, refusal: null };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { context, refusal: error };
    }
  }

  /** The steps and answers of attempts with this key: at once, soon after, and once it is looked up anew. */
  async trace(key: string): Promise<string> {
    const steps: unknown[] = [];
    for (const waitMs of [0, 1, DEAD_KEY_MS, 1, 5 * DEAD_KEY_MS]) {
      this.now += waitMs;
      this.steps = [];
      const { refusal } = await this.enter(key);
      steps.push([this.steps, refusal?.status, refusal?.message, refusal?.headers]);
    }
    return JSON.stringify(steps);
  }
}

const UNKNOWN = keyOf('0');
const STATES: readonly (readonly [string, string, Partial<Credential> | null])[] = [
  ['unknown', keyOf('1'), null],
  ['malformed', 'nonsense', null],
  ['of another prefix, though its digest is known', `sk-other-v1-${'a'.repeat(64)}`, {}],
  ['revoked', keyOf('2'), { status: 'revoked' }],
  ['disabled', keyOf('3'), { status: 'disabled' }],
  ['expired', keyOf('4'), { expiresAt: 1 }],
];

for (const [what, key, state] of STATES) {
  it(`a key that is ${what} takes the same steps as an unknown one, before its body is read (rule K5)`, async () => {
    const backend = new KeyBackend();
    if (state) backend.put(key, state);
    const trace = await backend.trace(key);
    assert.is(trace, await new KeyBackend().trace(UNKNOWN));
    assert.match(trace, /^\[\[\["look-up","count address","count"\],401,/);
  });
}

it('a key that was in use takes those steps from its first refusal on (rule K5)', async () => {
  const backend = new KeyBackend();
  const key = keyOf('5');
  const made = backend.put(key, {});
  const { context, refusal } = await backend.enter(key);
  assert.is(refusal, null);
  backend.put(key, { status: 'revoked' });
  // Its actor reports it, in a count or in the admit.
  assert.is((await backend.authentication.count(context))?.status, 401);
  backend.now += DEAD_KEY_MS;
  assert.is(await backend.trace(key), await new KeyBackend().trace(UNKNOWN));
  // The row may be stale; the actor is not.
  backend.alive.add(made.key);
  backend.now += DEAD_KEY_MS;
  assert.is((await backend.enter(key)).refusal, null);
  backend.steps = [];
  assert.is((await backend.enter(key)).refusal, null);
  assert.equal(backend.steps, []);
});

for (const [what, key, state] of STATES) {
  it(`a key that is ${what} takes those steps too once its address has used up its budget (rule K5)`, async () => {
    const backend = new KeyBackend();
    const unknown = new KeyBackend();
    for (const one of [backend, unknown]) {
      const window = { limit: 120, resetAt: 60_000 };
      one.addressRefusal = { status: 429, type: 'rate_limit_exceeded', message: 'too many', window };
    }
    if (state) backend.put(key, state);
    const trace = await backend.trace(key);
    assert.is(trace, await unknown.trace(UNKNOWN));
    assert.match(trace, /^\[\[\["look-up","count address"\],429,/);
  });
}

it('a key whose owner is suspended, which no row shows, is counted first after its first refusal (rule K5)', async () => {
  const backend = new KeyBackend();
  const key = keyOf('6');
  backend.put(key, {});
  const { context } = await backend.enter(key);
  await backend.authentication.count(context);
  backend.now += DEAD_KEY_MS;
  assert.is(await backend.trace(key), await new KeyBackend().trace(UNKNOWN));
});

it('of twenty thousand unknown keys at most the bound are remembered (rule K6)', async () => {
  const backend = new KeyBackend();
  const keys = Array.from({ length: 20 * CALLERS_MAX }, (_, i) => `sk-gw-v1-${i.toString(16).padStart(64, '0')}`);
  for (const key of keys) await backend.enter(key);
  assert.is(backend.steps.filter((step) => step === 'look-up').length, keys.length);
  backend.steps = [];
  for (const key of keys.slice(-CALLERS_MAX)) await backend.enter(key);
  assert.not.ok(backend.steps.includes('look-up'), 'the last are remembered');
  backend.steps = [];
  for (const key of keys.slice(-2 * CALLERS_MAX, -CALLERS_MAX)) await backend.enter(key);
  assert.is(backend.steps.filter((step) => step === 'look-up').length, CALLERS_MAX, 'older ones are evicted');
});

test.run();
