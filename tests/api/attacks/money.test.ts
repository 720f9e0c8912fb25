import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Directive } from '../../../gateway/simulator/answer/behaviour.ts';
import { amount, text } from '../../support/auditor/amount.ts';
import { bounded } from '../../support/bounded.ts';
import type { Funded } from '../../support/cluster/start-cluster.ts';
import { say } from '../../support/provider/say.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Obtaining an answer without its price, or a price without its answer. */
const it = bounded(test, 90_000);

const { cluster, base, send } = await openApi(test, openCluster);

function ask(key: string, directive: Directive, more: object = {}, signal?: AbortSignal): Promise<Response> {
  return send('/chat/completions', {
    key,
    body: { model: 'sim/fast', messages: say(directive), max_tokens: 64, ...more },
    ...(signal ? { signal } : {}),
  });
}

async function read(key: string, path: string): Promise<string> {
  return (await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })).text();
}

/** The digits of a member, never read as a float. */
function digits(json: string, member: string): string {
  const found = new RegExp(`"${member}":(-?[0-9.]+)`).exec(json)?.[1];
  if (found === undefined) throw new Error(`${member} is not in ${json.slice(0, 300)}`);
  return found;
}

interface Ended {
  readonly status: string;
  readonly usage: string;
  readonly hold: string;
  readonly overshoot: boolean;
}

/** A generation once it has ended; null if it never held money. */
async function ended(key: string, id: string): Promise<Ended | null> {
  for (;;) {
    const record = await read(key, `/generation?id=${id}`);
    if (/"code":404/.test(record)) return null;
    const status = /"status":"([a-z]+)"/.exec(record)?.[1] ?? '';
    if (status === 'settled' || status === 'released')
      return {
        status,
        usage: digits(record, 'usage'),
        hold: digits(record, 'hold_cost'),
        overshoot: !/"overshoot_cost":null/.test(record),
      };
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function expectQuiet({ key }: Funded, deposited: string): Promise<void> {
  for (;;) {
    const credits = await read(key, '/credits');
    if (digits(credits, 'held') !== '0') {
      await new Promise((resolve) => setTimeout(resolve, 10));
      continue;
    }
    const left = amount(deposited) - amount(digits(credits, 'total_usage'));
    assert.is(amount(digits(credits, 'available')), left);
    assert.ok(left >= 0n, 'spent more than the balance');
    return;
  }
}

/** The hold of one such request, in units of the auditor. */
async function heldBy({ key }: Funded, more: object): Promise<bigint> {
  const leave = new AbortController();
  const request = ask(key, { hang: 'headers' }, more, leave.signal).catch(() => {});
  for (;;) {
    const held = amount(digits(await read(key, '/credits'), 'held'));
    if (held > 0n) {
      leave.abort();
      await request;
      return held;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it('64 requests at once never spend more than the balance (rule K54)', async () => {
  // One endpoint, so that all holds are the same.
  const only = { provider: { only: ['sim-a'] } };
  const hold = await heldBy(await cluster.fund('10'), only);
  for (const share of [1, 7, 20]) {
    // Slightly more than this many holds, and less than one more.
    const deposited = text((hold * BigInt(share * 2 + 1)) / 2n);
    const funded = await cluster.fund(deposited);
    const leave = new AbortController();
    const refused: number[] = [];
    let all = (): void => {};
    const restRefused = new Promise<void>((resolve) => {
      all = resolve;
    });
    // Admitted requests wait for a provider that never answers, so no hold is settled while the others arrive.
    const requests = Array.from({ length: 64 }, async () => {
      const answer = await ask(funded.key, { hang: 'headers' }, only, leave.signal);
      await answer.text();
      refused.push(answer.status);
      if (refused.length === 64 - share) all();
    });
    const over = Promise.all(requests.map((each) => each.catch(() => {})));
    await restRefused;
    const held = await read(funded.key, '/credits');
    assert.is(amount(digits(held, 'held')), hold * BigInt(share));
    leave.abort();
    await over;
    assert.equal(refused, Array(64 - share).fill(402));
    await expectQuiet(funded, deposited);
  }
});

it('a client that leaves at any time pays for the delivered part, and never more than the hold (rule K71)', async () => {
  const deposited = '10';
  const funded = await cluster.fund(deposited);
  let delivered = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 0, max: 60 }), async (tokens, waitMs) => {
      const leave = new AbortController();
      // The provider's answer ends within the time in which the client leaves.
      const answer = await ask(funded.key, { tokens, tps: 100 }, { stream: true }, leave.signal);
      const id = answer.headers.get('x-generation-id') as string;
      setTimeout(() => leave.abort(), waitMs);
      let seen = '';
      const decoder = new TextDecoder();
      try {
        for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) seen += decoder.decode(piece);
      } catch (error) {
        assert.is((error as Error).name, 'AbortError');
      }
      const end = await ended(funded.key, id);
      if (!/"content":"[^"]/.test(seen)) return;
      delivered++;
      assert.is(end?.status, 'settled', seen);
      assert.ok(amount((end as Ended).usage) > 0n, `delivered free: ${seen}`);
      assert.ok(amount((end as Ended).usage) <= amount((end as Ended).hold));
      if (seen.includes('"cost"')) assert.is(digits(seen, 'cost'), (end as Ended).usage);
    }),
    { numRuns: 60 },
  );
  assert.ok(delivered > 10, `${delivered} of 60 saw something`);
  await expectQuiet(funded, deposited);
});

it('a whole answer whose client left is charged, or was never delivered (rule K68)', async () => {
  const deposited = '10';
  const funded = await cluster.fund(deposited);
  const outcomes = await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      const leave = new AbortController();
      setTimeout(() => leave.abort(), at * 2);
      try {
        const answer = await ask(funded.key, { ttft_ms: 60, tokens: 2 }, {}, leave.signal);
        const reply = await answer.text();
        const end = await ended(funded.key, /"id":"(gen-[^"]+)"/.exec(reply)?.[1] as string);
        return end?.status === 'settled' && digits(reply, 'cost') === end.usage ? 'charged' : `free: ${reply}`;
      } catch {
        return 'left';
      }
    }),
  );
  assert.equal(
    [...new Set(outcomes)].filter((outcome) => outcome !== 'charged' && outcome !== 'left'),
    [],
  );
  await expectQuiet(funded, deposited);
});

const USAGES: readonly (readonly [string, Directive])[] = [
  ['negative counts', { garbage: 'negative-usage' }],
  ['NaN counts', { garbage: 'nan-usage' }],
  ['counts as text', { garbage: 'string-usage' }],
  ['1e18 tokens', { garbage: 'huge-usage' }],
  ['a negative prompt', { usage: { prompt_tokens: -5 } }],
  ['half a token', { usage: { completion_tokens: 0.5 } }],
  ['more cached than read', { usage: { prompt_tokens_details: { cached_tokens: 1_000_000 } } }],
  ['negative reasoning', { usage: { completion_tokens_details: { reasoning_tokens: -3 } } }],
  ['a window of prompt', { usage: { prompt_tokens: 127_999, prompt_tokens_details: null } }],
  ['a list', { usage: { prompt_tokens: [5], completion_tokens: { a: 1 } } as never }],
  ['a cost of its own', { usage: { cost: -1_000_000 } }],
];

it('usage reported by a provider is never charged beyond a plausible amount, never negative, and never breaks an answer (rule K73)', async () => {
  for (const [what, directive] of USAGES)
    for (const stream of [false, true]) {
      const deposited = '10';
      const funded = await cluster.fund(deposited);
      const answer = await ask(funded.key, { tokens: 4, ...directive }, { stream });
      const id = answer.headers.get('x-generation-id') as string;
      await answer.text();
      const end = await ended(funded.key, id);
      assert.ok(answer.status === 200 || answer.status === 502, `${what}: ${answer.status}`);
      if (end === null) continue;
      assert.ok(amount(end.usage) >= 0n, `${what}: charged ${end.usage}`);
      assert.ok(amount(end.usage) <= amount(end.hold) * 2n, `${what}: charged ${end.usage} on a hold of ${end.hold}`);
      assert.is(end.overshoot, amount(end.usage) > amount(end.hold), what);
      await expectQuiet(funded, deposited);
    }
});

test.run();
