import Anthropic from '@anthropic-ai/sdk';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { wholeEnvelope } from '../../../gateway/dialects/messages/error-envelope.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';
import { rawExchange } from '../../support/raw-exchange.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Every refusal of `/messages` and below it has the dialect's word, also before its route is known or its body read. */
const it = bounded(test);

const { cluster, funded } = await openApi(test, openCluster);
const origin = new URL(cluster.baseUrls[0] as string).origin;

const ASK = { model: 'sim/fast', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };
const GOOD = JSON.stringify(ASK);
const UNKNOWN = `sk-gw-v1-${'0'.repeat(64)}`;

interface Refused {
  readonly code: number;
  readonly type: string;
  readonly message: string;
  readonly metadata: { readonly error_type: string };
}

async function refused(path: string, init: RequestInit, key: string | null = funded.key): Promise<Refused> {
  const sent = { 'content-type': 'application/json', ...(key === null ? {} : { 'x-api-key': key }) };
  const answer = await fetch(`${origin}${path}`, {
    method: 'POST',
    ...init,
    headers: { ...sent, ...(init.headers as Record<string, string>) },
  });
  const { error } = (await answer.json()) as { error: Refused };
  assert.is(error.code, answer.status);
  return error;
}

it('the word of each refusal, whenever it is made (rule I82)', async () => {
  const management = await cluster.issue(funded.account, { kind: 'management' });
  const poor = await cluster.fund('0');
  const large = JSON.stringify({ ...ASK, system: 'x'.repeat(100_000) });
  const unserved = JSON.stringify({ ...ASK, provider: { only: ['nobody'] } });
  const [messages, count] = ['/api/v1/messages', '/api/v1/messages/count_tokens'];
  const table: readonly (readonly [
    path: string,
    init: RequestInit,
    status: number,
    type: string,
    key?: string | null,
  ])[] = [
    ...[messages, count, `${messages}?beta=true`].flatMap((path) => [
      [path, { body: GOOD }, 401, 'authentication_error', null] as const,
      [path, { body: GOOD }, 401, 'authentication_error', UNKNOWN] as const,
      [path, { body: GOOD }, 401, 'authentication_error', 'sk-ant-api03-x'] as const,
      [path, { body: GOOD }, 403, 'permission_error', management.key] as const,
      [path, { body: large }, 413, 'request_too_large'] as const,
      [path, { body: '{' }, 400, 'invalid_request_error'] as const,
      [path, { body: '' }, 400, 'invalid_request_error'] as const,
      [path, { body: GOOD, headers: { 'content-encoding': 'gzip' } }, 415, 'invalid_request_error'] as const,
      [path, { body: GOOD.replace('sim/fast', 'no/such') }, 404, 'not_found_error'] as const,
      [path, { method: 'GET' }, 405, 'invalid_request_error'] as const,
    ]),
    [messages, { body: unserved }, 503, 'overloaded_error'],
    [messages, { body: GOOD }, 402, 'billing_error', poor.key],
    [messages, { body: JSON.stringify({ ...ASK, modalities: ['audio'] }) }, 422, 'invalid_request_error'],
    ['/api/v1/messages/batches', { body: '{}' }, 404, 'not_found_error'],
    ['/api/v1/v1/messages', { body: GOOD }, 404, 'not_found_error'],
    ['/v1/messages', { body: GOOD }, 404, 'not_found_error'],
  ];
  for (const [path, init, status, type, key] of table) {
    const error = await refused(path, init, key);
    assert.equal(
      [error.code, error.type],
      [status, type],
      `${path} ${String(init.body).slice(0, 60)} ${error.message}`,
    );
    assert.type(error.metadata.error_type, 'string');
  }
  const other = await refused('/api/v1/messagesx', { body: GOOD });
  assert.equal([other.code, other.type], [404, undefined], 'another path has the common envelope');
});

it('the word of a request whose head is refused', async () => {
  const head = 'POST /api/v1/messages HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
  for (const [bytes, status] of [
    [`${head}Expect: cake\r\n\r\n`, 417],
    [`${head}Host: b\r\n\r\n`, 400],
    [`${head}${'a:b\r\n'.repeat(2_001)}\r\n`, 431],
  ] as const) {
    const answer = await rawExchange(origin, bytes);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.match(answer, /"error":\{"code":\d+,"type":"invalid_request_error"/);
  }
});

it('its SDK raises the classes of 401 and 413', async () => {
  const clientOf = (apiKey: string): Anthropic => new Anthropic({ apiKey, baseURL: `${origin}/api`, maxRetries: 0 });
  const ask = { ...ASK, messages: [{ role: 'user' as const, content: 'hello' }] };
  const wrong = await clientOf('sk-ant-api03-x')
    .messages.create(ask)
    .catch((thrown) => thrown);
  assert.instance(wrong, Anthropic.AuthenticationError);
  assert.is(wrong.error.error.type, 'authentication_error');
  assert.match(wrong.message, 'keys that begin with sk-ant- belong to another service');
  const large = { ...ask, system: 'x'.repeat(100_000) };
  for (const stream of [false, true]) {
    const big = await clientOf(funded.key)
      .messages.create({ ...large, stream })
      .catch((thrown) => thrown);
    assert.equal([big.status, big.error.error.type], [413, 'request_too_large']);
  }
});

it('every status of the 4xx that has no word of its own is a fault of the request, never of the API', () => {
  for (let status = 400; status < 600; status++) {
    const { body } = wholeEnvelope(new GatewayError({ status, type: 'server', message: 'x' }), 'gen-1');
    const { type } = (JSON.parse(body) as { error: Refused }).error;
    assert.is(type === 'api_error', status >= 500 && ![503, 504, 524, 529].includes(status), `${status} ${type}`);
  }
});

test.run();
