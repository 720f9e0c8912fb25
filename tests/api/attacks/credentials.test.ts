import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { changeKey, createKey } from '../../../actors/key/key.ts';
import { systemRandom } from '../../../actors/runtime/index.ts';
import { keyAddress, keyDigest, keyHandle, keyId, keyText } from '../../../actors/terms/ids.ts';
import { readPepper } from '../../../gateway/operator/config/secrets.ts';
import { bounded } from '../../support/bounded.ts';
import { rawExchange } from '../../support/raw-exchange.ts';
import { TESTER } from '../../support/tester.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Accepted and refused forms of a key. */
const it = bounded(test);

const { cluster, funded, base, send } = await openApi(test, openCluster);

const BODY = JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }] });

/** Sends one request with exactly these header lines; returns status and body text. */
async function post(lines: readonly string[], path = '/chat/completions'): Promise<{ status: number; text: string }> {
  const head = [`POST /api/v1${path} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', 'Connection: close'];
  const answer = await rawExchange(
    base,
    `${[...head, ...lines, `Content-Length: ${BODY.length}`].join('\r\n')}\r\n\r\n${BODY}`,
  );
  return { status: Number(answer.slice(9, 12)), text: answer.slice(answer.indexOf('\r\n\r\n') + 4) };
}

const hex = (key: string): string => key.slice('sk-gw-v1-'.length);
const EASTERN = String.fromCharCode(0x0661);

const UNUSABLE: readonly (readonly [string, (key: string, other: string) => readonly string[], number?])[] = [
  ['no credential', () => []],
  ['another scheme', (key) => [`Authorization: Basic ${Buffer.from(`a:${key}`).toString('base64')}`]],
  ['the key without its scheme', (key) => [`Authorization: ${key}`]],
  ['two Authorization headers', (key) => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`]],
  ['two headers that differ', (key, other) => [`Authorization: Bearer ${key}`, `x-api-key: ${other}`]],
  ['a valid and an invalid key', (key) => [`Authorization: Bearer ${key}`, 'x-api-key: nonsense']],
  ['two keys in one header', (key, other) => [`Authorization: Bearer ${key}, Bearer ${other}`]],
  ['a space inside', (key) => [`Authorization: Bearer ${key.slice(0, 20)} ${key.slice(20)}`]],
  ['a NUL', (key) => [`Authorization: Bearer ${key}\0`], 400],
  ['digits of another script', (key) => [`Authorization: Bearer sk-gw-v1-${EASTERN}${hex(key).slice(1)}`]],
  ['upper-case hex', (key) => [`Authorization: Bearer sk-gw-v1-${hex(key).toUpperCase()}`]],
  ['an upper-case prefix', (key) => [`Authorization: Bearer SK-GW-V1-${hex(key)}`]],
  ['one character less', (key) => [`Authorization: Bearer ${key.slice(0, -1)}`]],
  ['one character more', (key) => [`Authorization: Bearer ${key}0`]],
  ['15 KB of key', () => [`Authorization: Bearer sk-gw-v1-${'a'.repeat(15_000)}`]],
  ['a megabyte of key', () => [`Authorization: Bearer sk-gw-v1-${'a'.repeat(1_000_000)}`], 431],
];

/** No header, a header of another form, several keys, and a key that is not accepted. */
const MISTAKES = 4;

it('refuses every credential that is not one whole key; the text tells the mistake, and not whether the key exists (rule K2)', async () => {
  const other = await cluster.fund('1');
  const texts = new Set<string>();
  for (const [what, lines, status = 401] of UNUSABLE) {
    const answer = await post(lines(funded.key, other.key));
    const unknown = await post(lines(keyText(systemRandom), keyText(systemRandom)));
    assert.is(answer.status, status, `${what}: ${answer.text}`);
    assert.equal(answer, unknown, what);
    if (status === 401) texts.add(answer.text);
  }
  assert.is(texts.size, MISTAKES, [...texts].join('\n'));
});

it('accepts the key in either header, or in both if they agree (rule K1)', async () => {
  const { key } = funded;
  for (const lines of [
    [`Authorization: Bearer ${key}`],
    [`authorization: bearer ${key}`],
    [`x-api-key: ${key}`],
    [`Authorization: Bearer ${key}`, `X-API-Key: ${key}`],
  ])
    assert.is((await post(lines)).status, 200, lines.join());
});

it('a legacy key works, a key under any other prefix does not (rule K2)', async () => {
  const pepper = await readPepper(cluster.folder);
  const issue = async (text: string): Promise<void> => {
    const account = funded.account.slice('account:'.length);
    const made = {
      digest: keyDigest(pepper, text),
      handle: keyHandle(text),
      label: 'l',
      name: 'n',
      kind: 'inference',
    } as const;
    const unbounded = { limit: null, limitWindow: null, expiresAt: null, perMinute: null };
    const node = cluster.nodes[0] as (typeof cluster.nodes)[number];
    await createKey(
      node.cluster,
      keyAddress(account, keyId(systemRandom)),
      { ...made, ...unbounded, by: TESTER },
      5_000,
    );
  };
  const digits = '0123456789abcdef'.repeat(4);
  for (const [prefix, status] of [
    ['sk-legacy-v1-', 200],
    ['sk-other-v1-', 401],
    ['', 401],
  ] as const) {
    await issue(prefix + digits);
    assert.is((await post([`Authorization: Bearer ${prefix}${digits}`])).status, status, prefix);
  }
});

/** A node whose process stalled answers 503 until its read lease is renewed; the call is repeated then. */
async function statusOf(key: string): Promise<number> {
  for (;;) {
    const answer = await send('/key', { key });
    await answer.text();
    if (answer.status !== 503) return answer.status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it('a thousand random keys are each refused, and the valid one still works (rule K6)', async () => {
  for (let at = 0; at < 20; at++) {
    const tries = Array.from({ length: 50 }, (_, i) => `sk-gw-v1-${(at * 50 + i).toString(16).padStart(64, '0')}`);
    for (const status of await Promise.all(tries.map(statusOf))) assert.is(status, 401);
  }
  assert.is((await post([`Authorization: Bearer ${funded.key}`])).status, 200);
});

it('neither answers nor their timing distinguish a dead key from an unknown one (rule K5)', async () => {
  const node = cluster.nodes[0] as (typeof cluster.nodes)[number];
  const expects = async (key: string): Promise<string> => {
    const head = ['POST /api/v1/chat/completions HTTP/1.1', 'Host: a', 'Content-Type: application/json'];
    const lines = [...head, `Authorization: Bearer ${key}`, 'Expect: 100-continue', 'Content-Length: 10', ''];
    const answer = await rawExchange(base, `${lines.join('\r\n')}\r\n`, 300);
    return answer.replace(/gen-[\w-]+/g, 'gen').replace(/date: [^\r]*/i, 'date');
  };
  const unknown = await expects(`sk-gw-v1-${'d'.repeat(64)}`);
  assert.match(unknown, /^HTTP\/1\.1 401 /);
  for (const change of ['revoke', 'disable'] as const) {
    // The body is not read, for a key the node has never seen and for one that was in use.
    for (const used of [false, true]) {
      const { key, keyAddress: address } = await cluster.fund('1');
      if (used) assert.is((await post([`Authorization: Bearer ${key}`])).status, 200);
      await changeKey(node.cluster, address, change, 5_000, TESTER);
      if (used) assert.is((await post([`Authorization: Bearer ${key}`])).status, 401);
      assert.is(await expects(key), unknown, `${change}, used ${used}`);
    }
  }
  const expired = await cluster.fund('1', { expiresAt: 1 });
  assert.is(await expects(expired.key), unknown);
});

it('a key in the query is ignored, and appears in no answer (rule K1)', async () => {
  for (const name of ['key', 'api_key', 'apikey', 'token', 'access_token', 'authorization']) {
    const answer = await post([], `/chat/completions?${name}=${funded.key}`);
    assert.is(answer.status, 401, name);
    assert.not.match(answer.text, funded.key);
  }
});

it('one key has one budget, in either header and for any claimed address (rule E20)', async () => {
  const { key } = await cluster.fund('10', { perMinute: 4 });
  const statuses: number[] = [];
  for (let i = 0; i < 10; i++) {
    const lines = i % 2 === 0 ? [`Authorization: Bearer ${key}`] : [`x-api-key: ${key}`];
    statuses.push((await post([...lines, `X-Forwarded-For: 10.0.0.${i}`, `Forwarded: for=10.0.0.${i}`])).status);
  }
  const passed = statuses.filter((status) => status === 200).length;
  // A minute may have turned in between, but not two.
  assert.ok(passed >= 4 && passed <= 8, statuses.join());
  assert.ok(statuses.every((status) => status === 200 || status === 429));
});

test.run();
