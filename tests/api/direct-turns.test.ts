import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { type Funded, startCluster, type TestCluster } from '../support/cluster/start-cluster.ts';
import { rawExchange } from '../support/raw-exchange.ts';

const it = bounded(test, 60_000);

let cluster: TestCluster;
let funded: Funded;

test.before(async () => {
  const rates = { keyPerMinute: 100_000, addressPerMinute: 100_000 };
  cluster = await startCluster({ rates, edge: { bodyBytesMax: 100_000 }, simulators: ['sim-a'] });
  funded = await cluster.fund('10');
});
test.after(() => cluster.close());

const CHAT = { model: 'sim/fast', max_tokens: 20, messages: [{ role: 'user', content: 'hello ü' }] };

const BODIES: Readonly<Record<string, string>> = {
  whole: JSON.stringify(CHAT),
  stream: JSON.stringify({ ...CHAT, stream: true, stream_options: { include_usage: true } }),
  'of another model': JSON.stringify({ ...CHAT, model: 'no/such' }),
  'that nobody may serve': JSON.stringify({ ...CHAT, provider: { only: ['nobody'] } }),
  broken: '{',
  'of a list': '[]',
  empty: '',
  'too deep': '['.repeat(70),
  'too large': JSON.stringify({ ...CHAT, user: 'x'.repeat(100_000) }),
  'with half a pair': JSON.stringify(CHAT).replace('hello', '\\ud800'),
};

const HEADERS: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  'as usual': {},
  'without a key': { authorization: null },
  'with an unknown key': { authorization: `Bearer sk-gw-v1-${'0'.repeat(64)}` },
  'with two keys': { 'x-api-key': 'other' },
  'without a type': { 'content-type': null },
  'of a broken type': { 'content-type': ';;' },
  'of text': { 'content-type': 'text/plain' },
  'with a charset': { 'content-type': 'Application/JSON; charset="UTF-8"' },
  compressed: { 'content-encoding': 'gzip' },
  'of a long session': { 'x-session-id': 'x'.repeat(300) },
  'that asks first': { expect: '100-continue' },
};

/** Everything that came for one request, without what differs from one to the next. */
async function answered(path: string, body: string, changed: Readonly<Record<string, string | null>>): Promise<string> {
  const headers = {
    host: 'a',
    connection: 'close',
    authorization: `Bearer ${funded.key}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...changed,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}\r\n`]));
  const base = cluster.baseUrls[0] as string;
  const answer = await rawExchange(base, `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`, 10_000);
  // The simulator counts its answers, and a chunk is as long as what came together: what they hold is compared.
  return answer
    .replaceAll(/sim-a:\d+/g, 'sim-a')
    .replace(/(?<=^HTTP\/1\.1 200 [\s\S]*)\r\ncontent-length: \d+/, '')
    .replaceAll(/gen-\d{10}-\w{20}/g, 'gen')
    .replaceAll(/\r\nDate: [^\r]*|"created":\d+/g, '')
    .replaceAll(/\r\n[0-9a-f]+\r\n/g, '');
}

for (const [which, changed] of Object.entries(HEADERS)) {
  it(`a request ${which} is answered past the framework as the framework has it answered, byte for byte`, async () => {
    for (const [what, body] of Object.entries(BODIES)) {
      // A query is not the very path.
      const direct = await answered('/api/v1/chat/completions', body, changed);
      const framed = await answered('/api/v1/chat/completions?any', body, changed);
      assert.match(direct, /^HTTP\/1\.1 \d/, what);
      assert.is(direct, framed, what);
    }
  });
}

it('a text completion too', async () => {
  for (const body of [JSON.stringify({ model: 'sim/fast', prompt: 'hello', max_tokens: 20 }), '{"model":"sim/fast"}']) {
    const direct = await answered('/api/v1/completions', body, {});
    assert.is(direct, await answered('/api/v1/completions?any', body, {}));
  }
});

test.run();
