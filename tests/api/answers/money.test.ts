import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { send } = await openApi(test, openCluster);

async function ask(path: string, body?: object): Promise<string> {
  return (await send(path, body && { body })).text();
}

const DECIMALS = 24;

/** Exact decimal text in units of 1e-24 USD, computed independently of the gateway. */
function units(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  assert.ok(fraction.length <= DECIMALS, text);
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

/** The digits of a number in JSON text, never parsed as a float. */
function digits(json: string, member: string): string {
  const found = [...json.matchAll(new RegExp(`"${member}":(-?\\d+(?:\\.\\d+)?)[,}]`, 'g'))].at(-1)?.[1];
  if (found === undefined) throw new Error(`${member} is not in ${json.slice(0, 300)}`);
  return found;
}

it('/credits, /key and /generation show the costs of the replies, digit for digit (rule K41, rule K51)', async () => {
  let total = 0n;
  const asked = Array.from({ length: 30 }, (_, i) => {
    const directive = { tokens: 1 + ((i * 37) % 101), id: `m${i}` };
    const messages = [{ role: 'user', content: `${'word '.repeat(i * 3)}@sim ${JSON.stringify(directive)}` }];
    return ask('/chat/completions', {
      model: i % 5 === 0 ? 'sim/no-usage' : 'sim/fast',
      messages,
      stream: i % 2 === 1,
    });
  });
  for (const reply of await Promise.all(asked)) {
    const cost = digits(reply, 'cost');
    total += units(cost);
    const id = /"id":"(gen-[^"]+)"/.exec(reply)?.[1] as string;
    assert.is(digits(await ask(`/generation?id=${id}`), 'usage'), cost);
  }
  const credits = await ask('/credits');
  assert.is(units(digits(credits, 'total_usage')), total);
  assert.is(digits(credits, 'held'), '0');
  assert.is(units(digits(credits, 'total_credits')) - total, units(digits(credits, 'available')));
  assert.is(units(digits(await ask('/key'), 'usage')), total);
});

it('charges nothing for a failure before the first part, and leaves no hold (rule K70)', async () => {
  const before = digits(await ask('/credits'), 'total_usage');
  const down = { model: 'sim/fast', messages: [{ role: 'user', content: '@sim {"status":500}' }] };
  const reply = await ask('/chat/completions', down);
  assert.match(reply, /"code":502/);
  for (;;) {
    const credits = await ask('/credits');
    assert.is(digits(credits, 'total_usage'), before);
    if (digits(credits, 'held') === '0') break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

it('shows a generation from the moment its money is held (rule I141)', async () => {
  const controller = new AbortController();
  const answer = await send('/chat/completions', {
    body: {
      model: 'sim/fast',
      messages: [{ role: 'user', content: '@sim {"tokens":80,"tps":40}' }],
      stream: true,
      metadata: { order: 7 },
      user: 'u1',
    },
    headers: { 'x-title': 'Tést' },
    signal: controller.signal,
  });
  const id = answer.headers.get('x-generation-id');
  const running = JSON.parse(await ask(`/generation?id=${id}`)).data;
  assert.is(running.status, 'running');
  assert.ok(running.hold_cost > 0);
  assert.is(running.settled_at, null);
  assert.is(running.app_title, 'Test');
  assert.is(running.external_user, 'u1');
  assert.equal(running.metadata, { order: 7 });
  controller.abort();
});

test.run();
