import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster, type TestCluster } from '../support/cluster/start-cluster.ts';
import { limit } from '../support/pace.ts';
import { type Answered, type FromAddress, requestFrom } from '../support/request-from.ts';

/**
 * The window that all share, under a stranger and two tenants at full strength, over two nodes. One window of an hour,
 * so that no clock decides: every count is exact.
 */
const it = bounded(test, 180_000);
const HOUR_MS = 60 * 60_000;
const WINDOW = 400;
const PER_ADDRESS = 60;
/** A quarter of the window. */
const PART = 100;
const ROOM_MS = 120_000;
const CHAT = JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: '@sim {"tokens":1}' }] });

let cluster: TestCluster;
/** Requests served so far: what the window has to have lost, and nothing else. */
let served = 0;

test.before(async () => {
  const left = HOUR_MS - (Date.now() % HOUR_MS);
  if (left < ROOM_MS) await new Promise((resolve) => setTimeout(resolve, left + 50));
  const rates = { keyPerMinute: 100_000, endpointPerMinute: WINDOW, addressPerMinute: PER_ADDRESS };
  cluster = await startCluster({ nodes: 2, rates: { ...rates, partPercentMax: 25, windowMs: HOUR_MS } });
});
test.after(() => cluster.close());

async function send(at: number, path: string, options: FromAddress): Promise<Answered> {
  const answer = await requestFrom(cluster.baseUrls[at % 2] as string, path, options);
  if (answer.status === 200) served++;
  return answer;
}

const withKey = (key: string): FromAddress => ({ headers: { authorization: `Bearer ${key}` } });
const chatWith = (key: string): FromAddress => ({
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: CHAT,
});

function count(answers: readonly Answered[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

/** Sends all at once, spread over both nodes. */
function flood(requests: readonly (readonly [string, FromAddress])[]): Promise<Answered[]> {
  return Promise.all(requests.map(([path, options], at) => send(at >> 1, path, options)));
}

/** Every way to ask without a valid key. */
function strangers(times: number, from: string): (readonly [string, FromAddress])[] {
  return Array.from({ length: times }, (_, i) => {
    const wrong = { from, headers: { authorization: `Bearer sk-gw-v1-${(i + 1).toString(16).padStart(64, '0')}` } };
    const kinds: (readonly [string, FromAddress])[] = [
      ['/models', { from }],
      ['/models', wrong],
      ['/nothing', { from }],
      ['/%zz', { from }],
      ['/models/%ff/%2F', { from }],
      ['/key', wrong],
      ['/key', { from }],
      ['/credits', { from, headers: { authorization: 'Basic eDp5' } }],
    ];
    return kinds[i % kinds.length] as (typeof kinds)[number];
  });
}

it('one address gets exactly its budget, whatever it asks for, and takes of the window what it was served', async () => {
  const { key } = await cluster.fund('10');
  const quiet: Answered[] = [];
  const attack = Promise.all([flood(strangers(400, '127.0.0.2')), flood(strangers(400, '127.0.0.2'))]);
  for (let at = 0; at < 20; at++) quiet.push(await send(at, '/credits', withKey(key)));
  const answers = (await attack).flat();
  assert.is(count(quiet, 200), 20, JSON.stringify(quiet.find(({ status }) => status !== 200)));
  assert.is(answers.length - count(answers, 429), PER_ADDRESS);
  assert.is(count(answers, 500), 0);
  const other = await send(0, '/models', { from: '127.0.0.3' });
  assert.is(other.status, 200, 'another address has a budget of its own');
  const again = await flood(strangers(40, '127.0.0.2'));
  assert.is(count(again, 429), 40);
});

it('each way to ask without a valid key is limited by the client address (rule E16)', async () => {
  const ways = strangers(8, '127.0.0.4');
  await flood(Array.from({ length: PER_ADDRESS }, () => ways[0] as (typeof ways)[number]));
  for (const [path, options] of ways) {
    const answer = await send(1, path, options);
    assert.is(answer.status, 429, `${path} ${JSON.stringify(options.headers ?? {})}`);
    assert.match(answer.text, /Rate limit of 60 requests per minute/);
  }
});

it('a tenant with many keys takes its part, a limited key its budget, and another tenant is served throughout (rule E15)', async () => {
  const [many, limited, quiet] = await Promise.all([cluster.fund('10'), cluster.fund('10'), cluster.fund('10')]);
  const keys = await Promise.all(Array.from({ length: 5 }, () => cluster.issue(many.account)));
  const capped = await cluster.issue(limited.account, { perMinute: 10 });
  const attack = Promise.all([
    flood(keys.flatMap(({ key }) => Array.from({ length: 30 }, () => ['/chat/completions', chatWith(key)] as const))),
    flood(keys.flatMap(({ key }) => Array.from({ length: 30 }, () => ['/credits', withKey(key)] as const))),
    flood(strangers(200, '127.0.0.2')),
    flood(Array.from({ length: 200 }, () => ['/chat/completions', chatWith(capped.key)] as const)),
  ]);
  const answers: Answered[] = [];
  for (let at = 0; at < 20; at++) answers.push(await send(at, '/credits', withKey(quiet.key)));
  for (let at = 0; at < 10; at++) answers.push(await send(at, '/chat/completions', chatWith(quiet.key)));
  const [chats, reads] = await attack;
  assert.is(count(answers, 200), 30, JSON.stringify(answers.find(({ status }) => status !== 200)));
  const taken = count([...chats, ...reads], 200);
  assert.ok(taken <= PART && taken >= PART * 0.8, `${taken} of a part of ${PART}`);
  assert.is(count([...chats, ...reads], 429), 300 - taken);
  assert.match(chats.concat(reads).find(({ status }) => status === 429)?.text ?? '', /while others ask/);
});

it('refused requests took nothing: exactly the window was served in all (rule E14)', async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, () => cluster.fund('1')));
  const before = served;
  assert.ok(before < WINDOW - PART, `${before} served before`);
  // An empty node asks again after a second, so a few rounds may be needed to reach what the other one returned.
  for (const leftMs = limit(60_000); served < WINDOW && leftMs() > 0; ) {
    await flood(tenants.flatMap(({ key }) => Array.from({ length: 20 }, () => ['/credits', withKey(key)] as const)));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.is(served, WINDOW);
  const [late] = await flood(tenants.slice(0, 1).map(({ key }) => ['/credits', withKey(key)] as const));
  assert.is(late?.status, 429);
  assert.match(late?.text ?? '', /limited to 400 requests per minute/);
});

test.run();
