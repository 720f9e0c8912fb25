import { createServer, request as openRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { readBody } from '../../../../gateway/edge/body/read-body.ts';
import { OneAtATime } from '../../../../gateway/overload/one-at-a-time.ts';
import { CallerLeft, GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { JsonText } from '../../../../gateway/terms/json-text.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const LIMITS = { ...config.edge, bodyGraceMs: 200 };
const LARGE = new OneAtATime();

type Outcome = { readonly value: unknown; readonly bytes: number } | { readonly error: unknown };

interface Sent {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends this and stalls. */
  readonly stall?: string;
  readonly reserve?: (bytes: number) => boolean;
  readonly open?: (isLarge: boolean) => Promise<() => void>;
  readonly isGone?: () => boolean;
  /** Absent: one account sends all bodies. */
  readonly holder?: string;
  /** Sends this and disconnects. */
  readonly abort?: string;
  /** Sends the body in two halves, the second one once the first is being read. */
  readonly halved?: boolean;
}

/** Sends one request over a real connection; returns the outcome of `readBody`. */
async function read(sent: Sent): Promise<Outcome> {
  let settle: (outcome: Outcome) => void = () => {};
  const outcome = new Promise<Outcome>((resolve) => {
    settle = resolve;
  });
  const body = Buffer.from(sent.body ?? '');
  const server = createServer((incoming, response) => {
    readBody(incoming, {
      limits: LIMITS,
      clock: systemClock,
      invite: null,
      isGone: sent.isGone ?? (() => response.destroyed),
      reserve: sent.reserve ?? (() => true),
      open: sent.open ?? (async () => () => {}),
      digest: null,
      ...{ largeBodies: LARGE, holder: sent.holder ?? 'account:a' },
    })
      .then(
        (body) => settle({ value: body.take(), bytes: body.bytes }),
        (error: unknown) => settle({ error }),
      )
      .finally(() => response.end());
    if (sent.halved) setTimeout(() => client.end(body.subarray(body.length / 2)), 5);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const halved = sent.halved ? { 'content-length': body.length } : {};
  const headers = { 'content-type': 'application/json', ...sent.headers, ...halved };
  const client = openRequest({ port, method: 'POST', headers });
  client.on('error', () => {});
  client.on('response', (response) => response.resume());
  if (sent.stall !== undefined) client.write(sent.stall);
  else if (sent.abort !== undefined) client.write(sent.abort, () => client.destroy());
  else if (sent.halved) client.write(body.subarray(0, body.length / 2));
  else client.end(body);
  const result = await outcome;
  client.destroy();
  await close(server);
  return result;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function status(sent: Sent): Promise<number | string> {
  const outcome = await read(sent);
  if (!('error' in outcome)) return JSON.stringify(outcome.value);
  return outcome.error instanceof GatewayError ? outcome.error.status : String(outcome.error);
}

it('reads any JSON as data only', async () => {
  const outcome = await read({ body: '{"a":[1,"ü"],"__proto__":{"polluted":1}}' });
  assert.ok('value' in outcome);
  assert.is(JSON.stringify(outcome.value), '{"a":[1,"ü"],"__proto__":{"polluted":1}}');
  assert.is(({} as { polluted?: number }).polluted, undefined);
});

const REFUSED: readonly (readonly [string, Sent, number])[] = [
  ['an empty body', { body: '' }, 400],
  ['half a document', { body: '{"a":' }, 400],
  ['a byte order mark', { body: '\ufeff{}' }, 400],
  ['bytes that are not UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400],
  ['UTF-16 by its header', { body: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } }, 400],
  ['a form', { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 400],
  ['a compressed body', { body: '{}', headers: { 'content-encoding': 'gzip' } }, 415],
  ['a number out of range', { body: '[1e400]' }, 400],
  ['a name written twice', { body: '{"a":1,"b":{"c":1,"c":2}}' }, 400],
  ['half of a surrogate pair', { body: '{"a":"\\ud800"}' }, 400],
  ['half of a pair in a name', { body: '{"\\udc00":1}' }, 400],
  ['65 levels', { body: '['.repeat(65) + ']'.repeat(65) }, 400],
  ['eleven million empty arrays, cut at the size', { body: `[${'[],'.repeat(2_700_000)}0]` }, 400],
  ['a Content-Length beyond the bound', { body: 'a'.repeat(LIMITS.bodyBytesMax + 1) }, 413],
];

for (const [what, sent, expected] of REFUSED) {
  it(`refuses ${what} with ${expected} (rule E25)`, async () => {
    assert.is(await status(sent), expected);
  });
}

it('reads and refuses a body that arrives with its head exactly as one that arrives in pieces', async () => {
  const sound: Sent[] = [{ body: '{"a":[1,"ü"],"b":null}' }, { body: 'null' }, { body: '"\\ud83d\\ude00"' }];
  for (const sent of [...sound, ...REFUSED.map(([, refused]) => refused)]) {
    const [whole, halved] = [await read(sent), await read({ ...sent, halved: true })];
    assert.is(messageOf(halved), messageOf(whole));
  }
});

function messageOf(outcome: Outcome): string {
  if ('value' in outcome) return JSON.stringify(outcome.value);
  return outcome.error instanceof GatewayError ? `${outcome.error.status} ${outcome.error.message}` : 'left';
}

it('names the line and the byte at which a body breaks, whichever reader its size needs (rule E34)', async () => {
  for (const words of [10, 20_000, 200_000]) {
    const text = `"${'word ü '.repeat(words)}`;
    const at = Buffer.byteLength(text) + 1;
    for (const [body, expected] of [
      [`{\n"a": 1,\n${text}", 2}`, `unexpected character, at line 3, byte ${at + 1}`],
      [`{\n"a":\n${text}\n"}`, `a string holds a control character, such as a line break, at line 3, byte ${at}`],
      [`[\n${text}`, `it ends too early, at line 2, byte ${at}`],
      [`[\r\n${text}",]`, `unexpected character, at line 2, byte ${at + 2}`],
    ] as const) {
      assert.is(messageOf(await read({ body })), `400 The body is not valid JSON: ${expected}`);
    }
  }
});

it('refuses a chunked body that grows past the bound, by the bytes received (rule E23)', async () => {
  const stall = 'a'.repeat(LIMITS.bodyBytesMax + 1);
  assert.is(await status({ stall: `"${stall}`, headers: { 'transfer-encoding': 'chunked' } }), 413);
});

it('accepts the parameters of a content type that name UTF-8, and 64 levels', async () => {
  const headers = { 'content-type': 'Application/JSON; charset="UTF-8"' };
  assert.is(await status({ body: '{"a":1}', headers }), '{"a":1}');
  const deep = '['.repeat(64) + ']'.repeat(64);
  assert.is(await status({ body: deep }), deep);
});

it('ends an upload below the minimum speed with 408 (rule E26)', async () => {
  assert.is(await status({ stall: '{"a"', headers: { 'content-length': '100' } }), 408);
});

it('reports a client that left during the upload as CallerLeft', async () => {
  const outcome = await read({ abort: '{"a"', headers: { 'content-length': '100' } });
  assert.ok('error' in outcome);
  assert.instance(outcome.error, CallerLeft);
});

it('a body of any size is read whole, in any segmentation', async () => {
  for (const characters of [10, 100_000, 300_000, 2_000_000]) {
    const given = { text: 'wörd "字" '.repeat(characters / 9), more: [1, { a: null }] };
    const body = JSON.stringify(given);
    for (const sent of [{ body }, { body, headers: { 'transfer-encoding': 'chunked' } }, { body, halved: true }]) {
      const outcome = await read(sent);
      assert.ok('value' in outcome);
      assert.equal(outcome.value, given);
      assert.is(outcome.bytes, Buffer.byteLength(body));
    }
  }
});

it('a failed large body does not block the next one', async () => {
  const broken = `{"a":"${'x'.repeat(400_000)}",}`;
  const sound = JSON.stringify({ a: 'y'.repeat(400_000) });
  const outcomes = await Promise.all([broken, sound, broken, sound].map((body) => status({ body })));
  assert.equal(outcomes, [400, sound, 400, sound]);
});

it('the large bodies of one account wait for one of another account at most (rule E39)', async () => {
  const body = JSON.stringify({ a: 'y'.repeat(400_000) });
  const ended: string[] = [];
  let free: () => void = () => {};
  const waiting = new Promise<void>((resolve) => {
    free = resolve;
  });
  // Nothing is parsed until all bodies have arrived.
  const parsing = LARGE.run('account:c', () => waiting);
  let arrived = 0;
  const holders = ['account:a', 'account:a', 'account:a', 'account:a', 'account:b'];
  const outcomes: Promise<unknown>[] = [];
  for (const holder of holders) {
    const reading = read({ body, holder, open: async () => () => void arrived++ });
    outcomes.push(reading.then(() => ended.push(holder)));
    while (arrived < outcomes.length) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  free();
  await Promise.all([parsing, ...outcomes]);
  assert.ok(ended.indexOf('account:b') <= 1, ended.join(' '));
});

it('a large body whose client left while it was queued is not parsed', async () => {
  let looks = 0;
  const body = JSON.stringify({ a: 'y'.repeat(2_000_000) });
  const outcome = await read({ body, isGone: () => ++looks > 2 });
  assert.ok('error' in outcome);
  assert.instance(outcome.error, CallerLeft);
  assert.is(looks, 3);
});

it('a body of dense structure is read as any other', async () => {
  const given = Array.from({ length: 30_000 }, (_, nth) => ({ [`k${nth}`]: nth }));
  assert.is(await status({ body: JSON.stringify(given) }), JSON.stringify(given));
});

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

it('a large body reserves room as it arrives, and is refused with retry advice if there is none (rule E39)', async () => {
  const reserved: number[] = [];
  const large = JSON.stringify({ text: 'x'.repeat(200_000) });
  const outcome = await read({ body: large, reserve: (bytes) => reserved.push(bytes) > 0 });
  assert.ok('value' in outcome);
  assert.is(total(reserved), large.length);
  const refused = await read({ body: large, reserve: () => false });
  assert.ok('error' in refused && refused.error instanceof GatewayError);
  assert.is(refused.error.status, 503);
  assert.is(refused.error.headers['x-should-retry'], 'true');
  const small = await read({ body: '{}', reserve: () => false });
  assert.ok('value' in small);
});

it('an announced body reserves nothing until it arrives', async () => {
  const reserved: number[] = [];
  const headers = { 'content-length': '8000000' };
  const outcome = await read({ headers, stall: '{"text":"a', reserve: (bytes) => reserved.push(bytes) > 0 });
  assert.ok('error' in outcome && outcome.error instanceof GatewayError && outcome.error.status === 408);
  assert.equal(reserved, []);
});

it('a body that has not arrived is opened once, before it is read, and ended however it ends', async () => {
  const opened: boolean[] = [];
  let ended = 0;
  const open = async (isLarge: boolean): Promise<() => void> => {
    opened.push(isLarge);
    return () => void ended++;
  };
  await read({ body: '{}', open });
  assert.equal(opened, [], 'a body that arrives with its head is never open');
  await read({ body: JSON.stringify({ a: 'x'.repeat(1_000) }), halved: true, open });
  await read({ body: JSON.stringify({ a: 'x'.repeat(100_000) }), open });
  await read({ body: '{}', headers: { 'transfer-encoding': 'chunked' }, open });
  await read({ headers: { 'content-length': '100000' }, abort: '{"text":"a', open });
  await read({ headers: { 'content-length': '100000' }, stall: '{"text":"a', open });
  assert.equal(opened, [false, true, true, true, true]);
  assert.is(ended, opened.length);
  const refusal = new GatewayError({ status: 429, type: 'rate_limit_exceeded', message: 'too many' });
  const refused = await read({ body: 'x'.repeat(100_000), open: () => Promise.reject(refusal) });
  assert.ok('error' in refused && refused.error === refusal);
});

it('a body whose values need more memory than its bytes reserves the difference before it is parsed', async () => {
  const reserved: number[] = [];
  const body = `{"x":[${'[],'.repeat(40_000)}0]}`;
  const outcome = await read({ body, reserve: (bytes) => reserved.push(bytes) > 0 });
  assert.ok('value' in outcome);
  assert.is(total(reserved), 120_005 * 64);
  assert.is(reserved.at(-1), 120_005 * 64 - body.length);
  const refused = await read({ body, reserve: (bytes) => bytes <= body.length });
  assert.ok('error' in refused && refused.error instanceof GatewayError && refused.error.status === 503);
});

it('1,536 tools are read, with schemas of a usual size and of the largest (rule I27)', async () => {
  for (const bytes of [3_400_000, LIMITS.bodyBytesMax]) {
    const body = manyTools(bytes);
    assert.ok(body.length > bytes * 0.99 && body.length <= bytes);
    const outcome = await read({ body });
    assert.ok('value' in outcome, 'error' in outcome ? String(outcome.error) : '');
    const { tools } = outcome.value as { tools: { function: { parameters: JsonText } }[] };
    assert.is(tools.length, 1_536);
    const { parameters } =
      (JSON.parse(body) as { tools: { function: { parameters: object } }[] }).tools[7]?.function ?? {};
    assert.is(tools[7]?.function.parameters.text, JSON.stringify(parameters));
  }
});

/** A body with at most this many bytes, one structural token in five of them: twice as dense as usual schemas. */
function manyTools(bytes: number): string {
  const room = Math.floor(bytes / 1_536) - 110;
  const property = (nth: number): string => `"p${nth}":{"type":"string"}`;
  let properties = property(0);
  for (let nth = 1; properties.length + 24 < room; nth++) properties += `,${property(nth)}`;
  const padding = 'd'.repeat(room - properties.length);
  const tools = Array.from({ length: 1_536 }, (_, nth) => {
    const declared = `"name":"t${nth}","parameters":{"type":"object","$id":"${padding}","properties":{${properties}}}`;
    return `{"type":"function","function":{${declared}}}`;
  });
  return `{"tools":[${tools.join(',')}]}`;
}

it('the refusal names the exceeded bound', async () => {
  for (const [body, message] of [
    ['['.repeat(65), 'The body is nested too deeply: in more than 64 levels'],
    [`[${'[],'.repeat(800_000)}0]`, 'The body has more than 2097152 brackets, braces, colons and commas'],
    [
      `{"x":[${'[],'.repeat(300_000)}0]}`,
      'The body has more than 600000 brackets, braces, colons and commas outside JSON schemas',
    ],
    [`[${'1'.repeat(1_025)}]`, 'The body contains a number or word of more than 1024 characters'],
  ] as const) {
    const outcome = await read({ body });
    assert.ok('error' in outcome && outcome.error instanceof GatewayError);
    assert.is(outcome.error.message, message);
  }
});

it('a large body without Content-Length reserves what arrives', async () => {
  const reserved: number[] = [];
  const headers = { 'transfer-encoding': 'chunked' };
  const body = JSON.stringify({ text: 'x'.repeat(200_000) });
  const outcome = await read({ body, headers, reserve: (bytes) => reserved.push(bytes) > 0 });
  assert.ok('value' in outcome);
  assert.is(total(reserved), body.length);
  const refused = await read({ body, headers, reserve: () => false });
  assert.ok('error' in refused && refused.error instanceof GatewayError && refused.error.status === 503);
});

test.run();
