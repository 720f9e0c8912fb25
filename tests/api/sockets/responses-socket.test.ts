import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { say } from '../../support/provider/say.ts';
import { type SocketFrame, TurnClient, textOf } from '../../support/stream/turn-client.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** The responses dialect over a WebSocket. */
const it = bounded(test);

const { cluster, funded, base, send } = await openApi(test, openCluster);

const MODEL = { model: 'sim/fast' };
/** Any other endpoint is read on for 30 s for its usage. */
const CANCELLABLE = { provider: { only: ['sim-a'] } };
const steered = (directive: Parameters<typeof say>[0]): object => ({ ...MODEL, input: say(directive)[0]?.content });
const errorOf = (frame: SocketFrame | undefined): Record<string, unknown> => frame?.error as Record<string, unknown>;

interface Credits {
  readonly held: number;
  readonly total_usage: number;
}

async function creditsOf(key: string): Promise<Credits> {
  const answer = await send('/credits', { key });
  return ((await answer.json()) as { data: Credits }).data;
}

async function settledCredits(key: string): Promise<Credits> {
  for (;;) {
    const credits = await creditsOf(key);
    if (credits.held === 0) return credits;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it('several turns follow one another on one socket, each with its generation and its charge (rule I94)', async () => {
  const payer = await cluster.fund('10');
  const client = await TurnClient.open(base, payer.key, { 'x-title': 'sockets' });
  const ids = new Set<unknown>();
  let cost = 0;
  for (let turns = 0; turns < 3; turns++) {
    const frames = await client.turn({ ...MODEL, input: 'hello', stream: false });
    assert.match(textOf(frames), /x1 x2 .*x15/);
    const [last] = frames.slice(-1) as [SocketFrame];
    const { id, usage } = last.response as { id: string; usage: { cost: number } };
    ids.add(id);
    cost += usage.cost;
    const record = await send(`/generation?id=${id.replace('resp_', 'gen-')}`, { key: payer.key });
    assert.is(record.status, 200);
  }
  assert.is(ids.size, 3);
  const { total_usage } = await settledCredits(payer.key);
  assert.ok(Math.abs(total_usage - cost) < 1e-12);
  client.socket.close();
});

it('a frame carries no idempotency key: one of the handshake makes no turn the repeat of another', async () => {
  const payer = await cluster.fund('10');
  const client = await TurnClient.open(base, payer.key, { 'idempotency-key': 'once' });
  const ids = new Set<unknown>();
  for (let turns = 0; turns < 2; turns++) {
    const [last] = (await client.turn({ ...MODEL, input: 'hello' })).slice(-1) as [SocketFrame];
    ids.add((last.response as { id: string }).id);
  }
  assert.is(ids.size, 2);
  client.socket.close();
});

it('the handshake needs the key: every other gets a 401 over HTTP, and a request without an offer 426 (rule I99)', async () => {
  const unknown = 'the key that was sent is not accepted';
  for (const [key, words] of [
    [null, 'no key was sent; send it as `Authorization: Bearer KEY` or as `x-api-key: KEY`'],
    ['nonsense', unknown],
    [`sk-gw-v1-${'0'.repeat(64)}`, unknown],
    ['gsk_a', 'keys that begin with gsk_ belong to another service; those of this one begin with sk-gw-v1-'],
  ] as const) {
    const refused = await TurnClient.open(base, key).catch((thrown) => thrown);
    assert.is(refused.status, 401);
    const { error } = JSON.parse(refused.message);
    assert.equal([error.code, error.message], [401, `Missing or invalid API key: ${words}`]);
  }
  const headers = { authorization: `Bearer ${funded.key}` };
  const plain = await fetch(`${base}/responses`, { headers });
  assert.is(plain.status, 426);
  assert.is(plain.headers.get('upgrade'), 'websocket');
  const management = await cluster.issue(funded.account, { kind: 'management' });
  const refused = await TurnClient.open(base, management.key).catch((thrown) => thrown);
  assert.is(refused.status, 403);
});

it('a refused turn is one error frame with its status, and the socket serves the next turn (rule I95)', async () => {
  const client = await TurnClient.open(base, funded.key);
  const poor = await cluster.fund('0.0000001');
  const rows: readonly (readonly [object, number, string])[] = [
    [{ type: 'response.create', ...MODEL, input: 'x', temperature: 3 }, 400, 'invalid_request'],
    [{ type: 'response.create', model: 'no/such', input: 'x' }, 404, 'not_found'],
    [{ type: 'response.create', ...steered({ status: 500 }) }, 502, 'provider_unavailable'],
    [{ type: 'response.create', ...MODEL, input: 'x', conversation: 'conv_1' }, 400, 'invalid_request'],
    [{ type: 'session.update' }, 400, 'invalid_request'],
  ];
  for (const [frame, status, type] of rows) {
    client.send(frame);
    const [error] = await client.until('error');
    assert.equal(
      [error?.status, errorOf(error).type, errorOf(error).code],
      [status, type, null],
      JSON.stringify(error),
    );
  }
  client.socket.send('{"type":');
  assert.is((await client.until('error'))[0]?.status, 400);
  client.socket.send(`{"type":"response.create","input":${'['.repeat(100)}${']'.repeat(100)}}`);
  assert.match(String(errorOf((await client.until('error'))[0]).message), /nested too deeply/);
  assert.match(textOf(await client.turn({ ...MODEL, input: 'hello' })), /x15/);
  client.socket.close();
  const second = await TurnClient.open(base, poor.key);
  second.create({ ...MODEL, input: 'x' });
  assert.is((await second.until('error'))[0]?.status, 402);
  second.socket.close();
});

it('a failure inside a turn is its error event, and the socket stays open', async () => {
  const client = await TurnClient.open(base, funded.key);
  const frames = await client.turn(steered({ tokens: 20, cut_after: 4 }));
  assert.equal(
    frames.slice(-2).map(({ type }) => type),
    ['error', 'response.failed'],
  );
  assert.match(textOf(await client.turn({ ...MODEL, input: 'hello' })), /x15/);
  client.socket.close();
});

it('a cancel cuts the turn under way and charges what was delivered; the next turn runs (rule I96)', async () => {
  const payer = await cluster.fund('10');
  const client = await TurnClient.open(base, payer.key);
  client.create({ ...steered({ tokens: 4_000, tps: 40 }), ...CANCELLABLE });
  await client.until('response.output_text.delta');
  client.send({ type: 'response.cancel' });
  const frames = await client.until('response.cancelled');
  assert.ok(frames.every(({ type }) => type === 'response.output_text.delta' || type === 'response.cancelled'));
  assert.match(textOf(await client.turn({ ...MODEL, input: 'hello' })), /x15/);
  const { total_usage } = await settledCredits(payer.key);
  assert.ok(total_usage > 0);
  client.send({ type: 'response.cancel' });
  assert.match(String(errorOf((await client.until('error'))[0]).message), /No response is under way/);
  client.socket.close();
});

it('a cancel before the first event costs nothing', async () => {
  const payer = await cluster.fund('10');
  const client = await TurnClient.open(base, payer.key);
  client.create(steered({ hang: 'headers' }));
  client.send({ type: 'response.cancel' });
  await client.until('response.cancelled');
  assert.is((await settledCredits(payer.key)).total_usage, 0);
  client.socket.close();
});

it('a client that leaves pays for what was delivered, as over HTTP (rule I96)', async () => {
  const payer = await cluster.fund('10');
  const client = await TurnClient.open(base, payer.key);
  client.create({ ...steered({ tokens: 4_000, tps: 40 }), ...CANCELLABLE });
  await client.until('response.output_text.delta');
  client.socket.terminate();
  assert.ok((await settledCredits(payer.key)).total_usage > 0);
});

it('a second turn waits for the first: it is refused, and the first goes on (rule I94)', async () => {
  const client = await TurnClient.open(base, funded.key);
  client.create(steered({ tokens: 10, tps: 20 }));
  await client.until('response.created');
  client.create({ ...MODEL, input: 'x' });
  const [error] = (await client.until('error')).slice(-1);
  assert.is(error?.status, 409);
  const rest = await client.until('response.completed');
  assert.match(textOf(rest), /x9/);
  client.socket.close();
});

it('frames beyond the bounds end the socket: too large, binary, too many at once (rule I98)', async () => {
  const large = await TurnClient.open(base, funded.key);
  large.create({ ...MODEL, input: 'x'.repeat(300_000) });
  assert.is((await large.closed).code, 1009);
  const binary = await TurnClient.open(base, funded.key);
  binary.socket.send(Buffer.from([1, 2, 3]));
  assert.is((await binary.closed).code, 1003);
  const many = await TurnClient.open(base, funded.key);
  for (let at = 0; at < 20; at++) many.create(steered({ tokens: 100, tps: 10 }));
  assert.is((await many.closed).code, 1008);
  const vain = await TurnClient.open(base, funded.key);
  for (let at = 0; at < 20; at++) vain.socket.send('{"type":"response.cancel"}');
  assert.is((await vain.closed).code, 1008);
});

it('every frame counts against the budget of its key, and a used-up budget is one error frame (rule I94)', async () => {
  const limited = await cluster.fund('10', { perMinute: 4 });
  const client = await TurnClient.open(base, limited.key);
  for (let turns = 0; turns < 3; turns++) await client.turn({ ...MODEL, input: 'hello' });
  client.create({ ...MODEL, input: 'hello' });
  const [error] = await client.until('error');
  assert.is(error?.status, 429);
  assert.ok(Number((errorOf(error).headers as Record<string, string>)['retry-after']) >= 0);
  client.socket.close();
});

it('other requests that offer an upgrade are served as ever', async () => {
  const { request } = await import('node:http');
  const answered = (path: string, method: string, headers: Record<string, string>, body = ''): Promise<number> =>
    new Promise((resolve, reject) => {
      const call = request(`${base}${path}`, { method, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      call.on('error', reject).on('upgrade', () => reject(new Error('upgraded')));
      call.end(body);
    });
  const key = { authorization: `Bearer ${funded.key}`, connection: 'Upgrade, HTTP2-Settings' };
  const h2c = { ...key, upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA' };
  const body = JSON.stringify({ ...MODEL, messages: [{ role: 'user', content: 'hello' }] });
  assert.is(await answered('/chat/completions', 'POST', { ...h2c, 'content-type': 'application/json' }, body), 200);
  assert.is(await answered('/responses', 'GET', h2c), 426);
  assert.is(await answered('/models', 'GET', { ...key, connection: 'Upgrade', upgrade: 'websocket' }), 200);
  assert.is(await answered('/responses', 'GET', { ...key, connection: 'Upgrade', upgrade: 'websocket' }), 426);
});

it('openai: its WebSocket client runs turns', async () => {
  const openai = new OpenAI({ apiKey: funded.key, baseURL: base });
  const socket = new ResponsesWS(openai);
  let previous: string | undefined;
  for (let turns = 0; turns < 2; turns++) {
    const text = await new Promise<string>((resolve, reject) => {
      let said = '';
      socket.on('response.output_text.delta', ({ delta }) => {
        said += delta;
      });
      socket.once('response.completed', ({ response }) => {
        previous = response.id;
        resolve(said);
      });
      socket.once('error', reject);
      const past = previous === undefined ? {} : { previous_response_id: previous };
      socket.send({ type: 'response.create', model: 'sim/fast', input: `hello ${turns}`, ...past, ...CANCELLABLE });
    });
    assert.match(text, /x15/);
  }
  const { messages } = (cluster.simulators[0]?.calls.at(-1)?.body ?? {}) as {
    readonly messages: readonly { content: unknown }[];
  };
  assert.equal([messages.length, messages[0]?.content, messages[2]?.content], [3, 'hello 0', 'hello 1']);
  socket.close();
});

test.run();
