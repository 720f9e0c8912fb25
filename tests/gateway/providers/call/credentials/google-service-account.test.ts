import { generateKeyPairSync, verify } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OutboundCall, OutboundReply } from '../../../../../gateway/outbound/outbound.ts';
import { googleServiceAccount } from '../../../../../gateway/providers/call/credentials/google-service-account.ts';
import { ProviderFailure } from '../../../../../gateway/providers/provider-failure.ts';
import { startSimulator } from '../../../../../gateway/simulator/simulator.ts';
import { bounded } from '../../../../support/bounded.ts';
import { eventsOf, played } from '../../played.ts';
import { startUpstream } from '../../upstream.ts';

const it = bounded(test);
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' });
const TOKEN_URI = 'https://oauth2.example/token';

/** Text of a key file; each account is known once. */
let accounts = 0;
function keyFile(members: object = {}): string {
  const file = { type: 'service_account', private_key_id: 'k1', private_key: PEM, token_uri: TOKEN_URI };
  return JSON.stringify({ ...file, client_email: `a${accounts++}@p.example`, ...members }, null, 2);
}

/** A place to call from, at a time that the test sets, with what was exchanged there. */
class Site {
  nowMs = Date.UTC(2026, 10, 24, 12);
  status = 200;
  answer: object = { access_token: 'ya29.one', expires_in: 3_600, token_type: 'Bearer' };
  readonly sent: OutboundCall[] = [];

  async headers(sign: ReturnType<typeof googleServiceAccount>): Promise<readonly string[]> {
    const clock = { now: () => this.nowMs, monotonic: () => 0, after: () => () => {} };
    const url = { origin: 'https://aiplatform.example', path: '/v1/models' };
    return sign({ method: 'POST', url, headers: [], body: '{}', clock, outbound: { send: this.#send } });
  }

  readonly #send = async (call: OutboundCall): Promise<OutboundReply> => {
    this.sent.push(call);
    await new Promise((resolve) => setImmediate(resolve));
    return { ...played([Buffer.from(JSON.stringify(this.answer))]), status: this.status };
  };
}

const AUTHORIZED = ['authorization', 'Bearer ya29.one'];

it('a signed claim is exchanged at the address of the file, and nowhere else', async () => {
  const site = new Site();
  assert.equal(await site.headers(googleServiceAccount(keyFile({ client_email: 'bot@p.example' }))), AUTHORIZED);
  const [call] = site.sent;
  assert.equal(call?.url, { origin: 'https://oauth2.example', path: '/token' });
  const form = new URLSearchParams(String(call?.body));
  assert.is(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  assert.equal(read(head), { alg: 'RS256', typ: 'JWT', kid: 'k1' });
  const iat = site.nowMs / 1_000;
  assert.equal(read(claims), {
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    iss: 'bot@p.example',
    aud: TOKEN_URI,
    iat,
    exp: iat + 3_600,
  });
  assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url')));
});

it('a token is shared by the endpoints of an account, exchanged once at a time, and anew before it ends', async () => {
  const site = new Site();
  const file = keyFile();
  const [one, other] = [googleServiceAccount(file), googleServiceAccount(file)];
  await Promise.all([site.headers(one), site.headers(other), site.headers(one)]);
  assert.is(site.sent.length, 1);
  site.nowMs += 3_200_000;
  await site.headers(other);
  assert.is(site.sent.length, 1);
  site.answer = { access_token: 'ya29.two', expires_in: 3_600 };
  site.nowMs += 200_000;
  assert.equal(await site.headers(one), AUTHORIZED, 'the old one is still good, and nobody waits');
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(await site.headers(one), ['authorization', 'Bearer ya29.two']);
  assert.is(site.sent.length, 2);
});

it('a failed exchange is told without a word of the file, and the next call tries again', async () => {
  const site = new Site();
  const sign = googleServiceAccount(keyFile());
  for (const [status, reason] of [
    [400, 'misconfigured'],
    [401, 'misconfigured'],
    [429, 'unavailable'],
    [503, 'unavailable'],
  ] as const) {
    site.status = status;
    assert.is((await failureOf(site.headers(sign))).reason, reason);
  }
  site.status = 200;
  site.answer = { error: 'none' };
  assert.is((await failureOf(site.headers(sign))).reason, 'unavailable');
  site.answer = { access_token: 'ya29.one', expires_in: 10 };
  assert.equal(await site.headers(sign), AUTHORIZED);
});

it('a key that is no such file, or that names an address without encryption, is not sent anywhere', async () => {
  const site = new Site();
  for (const secret of [
    'AIza-key',
    '{}',
    keyFile({ private_key: 'x' }),
    keyFile({ token_uri: 'http://o.example/t' }),
  ]) {
    const failure = await failureOf(site.headers(googleServiceAccount(secret)));
    assert.is(failure.reason, 'misconfigured');
    assert.is(failure.message, 'the key is not the key file of a service account');
  }
  assert.is(site.sent.length, 0);
});

it('a call to Vertex has the token, which is exchanged on the way of the call', async () => {
  const simulator = await startSimulator({ name: 'sim', keep: true });
  const upstream = await startUpstream();
  upstream.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"ya29.v","expires_in":3599}');
  };
  const target = {
    dialect: 'gemini',
    baseUrl: simulator.baseUrl,
    upstreamId: 'sim/fast',
    wire: { credential: 'google-service-account' },
  } as const;
  const signer = googleServiceAccount(keyFile({ token_uri: `http://127.0.0.1:${upstream.port}/token` }));
  for (const stream of [true, false]) {
    const attempt = await upstream.openAs('gemini', { stream }, { target }, undefined, undefined, signer);
    assert.is((await eventsOf(attempt)).filter(({ type }) => type === 'finish').length, 1);
  }
  assert.equal(
    upstream.seen.map(({ request }) => request.url),
    ['/token'],
  );
  assert.equal(
    simulator.calls.map(({ path, headers }) => [path, headers.authorization, headers['x-goog-api-key']]),
    ['streamGenerateContent?alt=sse', 'generateContent'].map((method) => [
      `/v1/models/sim%2Ffast:${method}`,
      'Bearer ya29.v',
      undefined,
    ]),
  );
  await upstream.close();
  await simulator.close();
});

async function failureOf(made: Promise<unknown>): Promise<ProviderFailure> {
  try {
    await made;
  } catch (error) {
    assert.instance(error, ProviderFailure);
    return error as ProviderFailure;
  }
  throw new Error('it did not fail');
}

test.run();
