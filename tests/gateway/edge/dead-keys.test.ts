/**
 * Attacks 12 and 13: what a key that does not let in costs, and what can be told from it. Who measures, or announces a
 * body and waits, finds a revoked key to be as unknown as any. (spec: reliability A1; inference, Authentication 4)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Credential } from '../../../actors/key/credential.ts';
import type { RowRecord } from '../../../actors/runtime/index.ts';
import { keyDigest } from '../../../actors/terms/ids.ts';
import type { Refusal } from '../../../actors/terms/refusal.ts';
import { UNAUTHENTICATED } from '../../../actors/terms/unauthenticated.ts';
import { type Authenticated, Authentication, type Policy } from '../../../gateway/edge/auth/authentication.ts';
import { readCredential } from '../../../gateway/edge/auth/request-credential.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 20_000);
const PEPPER = Buffer.alloc(32, 7);
const DEAD_KEY_MS = 2_000;
const CALLERS_MAX = 1_000;
const keyOf = (digit: string): string => `sk-gw-v1-${digit.repeat(64)}`;

/** Answers from a table of credentials, and writes down what it was asked. */
class Desk {
  now = 1_000;
  steps: string[] = [];
  readonly rows = new Map<string, Credential>();
  /** Keys that their actors let live, whatever their rows say. */
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
    const count = async (refusal: Refusal | null): Promise<Refusal | null> => {
      this.steps.push('count');
      return refusal;
    };
    const rows = { rowById, row: async () => null, rows: async () => [] };
    this.authentication = new Authentication({
      cluster: { rows, now: () => this.now },
      budgets: {
        countKey: (key) => count(this.alive.has(key) ? null : UNAUTHENTICATED),
        countUnknown: () => count(null),
        countAddress: () => count(null),
        grantSlice: () => Promise.reject(new Error('not asked here')),
        returnSlice: () => {},
      },
      pepper: PEPPER,
      callersMax: CALLERS_MAX,
      deadKeyMs: DEAD_KEY_MS,
    });
  }

  put(text: string, state: Partial<Credential>): Credential {
    const made: Credential = {
      ...{ account: 'account:a', key: 'key:a/k', kind: 'inference', label: 'l', name: 'n', status: 'active' },
      ...{ createdAt: 0, expiresAt: null, ...state },
    };
    this.rows.set(keyDigest(PEPPER, text), made);
    return made;
  }

  async enter(key: string, policy: Policy = 'key'): Promise<{ context: Authenticated; refusal: GatewayError | null }> {
    const head = { authorizations: [`Bearer ${key}`], apiKeys: [], hosts: 1, count: 3 };
    const context: Authenticated = { credential: readCredential(head), caller: null, digest: null, counted: false };
    try {
      await this.authentication.enter(context, policy, { remoteAddress: '10.0.0.1' });
      return { context, refusal: null };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return { context, refusal: error };
    }
  }

  /** What tries with this key cost and are answered, at once, soon after, and once it is looked up anew. */
  async story(key: string): Promise<string> {
    const told: unknown[] = [];
    for (const waitMs of [0, 1, DEAD_KEY_MS, 1, 5 * DEAD_KEY_MS]) {
      this.now += waitMs;
      this.steps = [];
      const { refusal } = await this.enter(key);
      told.push([this.steps, refusal?.status, refusal?.message, refusal?.headers]);
    }
    return JSON.stringify(told);
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
  it(`attack 13: a key that is ${what} goes the way of an unknown one, step by step, before its body`, async () => {
    const desk = new Desk();
    if (state) desk.put(key, state);
    const told = await desk.story(key);
    assert.is(told, await new Desk().story(UNKNOWN));
    assert.match(told, /^\[\[\["look-up","count"\],401,/);
  });
}

it('attack 13: a key that was in use goes that way from the first refusal on', async () => {
  const desk = new Desk();
  const key = keyOf('5');
  const made = desk.put(key, {});
  const { context, refusal } = await desk.enter(key);
  assert.is(refusal, null);
  desk.put(key, { status: 'revoked' });
  // Its actor says so: in a count, or in the admit.
  assert.is((await desk.authentication.count(context))?.status, 401);
  desk.now += DEAD_KEY_MS;
  assert.is(await desk.story(key), await new Desk().story(UNKNOWN));
  // The row may be a moment behind, its actor is not.
  desk.alive.add(made.key);
  desk.now += DEAD_KEY_MS;
  assert.is((await desk.enter(key)).refusal, null);
  desk.steps = [];
  assert.is((await desk.enter(key)).refusal, null);
  assert.equal(desk.steps, []);
});

it('a key whose owner is suspended, which no row tells, is counted first once that was heard', async () => {
  const desk = new Desk();
  const key = keyOf('6');
  desk.put(key, {});
  const { context } = await desk.enter(key);
  await desk.authentication.count(context);
  desk.now += DEAD_KEY_MS;
  assert.is(await desk.story(key), await new Desk().story(UNKNOWN));
});

it('attack 12: of twenty thousand unknown keys no more are remembered than the bound says', async () => {
  const desk = new Desk();
  const keys = Array.from({ length: 20 * CALLERS_MAX }, (_, i) => `sk-gw-v1-${i.toString(16).padStart(64, '0')}`);
  for (const key of keys) await desk.enter(key);
  assert.is(desk.steps.filter((step) => step === 'look-up').length, keys.length);
  desk.steps = [];
  for (const key of keys.slice(-CALLERS_MAX)) await desk.enter(key);
  assert.not.ok(desk.steps.includes('look-up'), 'the last are remembered');
  desk.steps = [];
  for (const key of keys.slice(-2 * CALLERS_MAX, -CALLERS_MAX)) await desk.enter(key);
  assert.is(desk.steps.filter((step) => step === 'look-up').length, CALLERS_MAX, 'those before them are forgotten');
});

test.run();
