import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { CREDENTIAL_FORMS } from '../../../actors/terms/wire.ts';
import { type Credentials, keyHeaders, signedHeaders } from '../../../gateway/outbound/credentials.ts';
import { outboundUrl } from '../../../gateway/outbound/outbound.ts';
import { credentialsFor } from '../../../gateway/providers/call/credentials/credentials.ts';
import { messagesAdapter } from '../../../gateway/providers/messages/adapter.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('a key is sent in the declared form, or in that of the wire, and without a key none is sent', () => {
  assert.equal(keyHeaders('bearer', 'k'), ['authorization', 'Bearer k']);
  assert.equal(keyHeaders('x-goog-api-key', 'k'), ['x-goog-api-key', 'k']);
  for (const form of CREDENTIAL_FORMS) assert.equal(keyHeaders(form, null), []);
  assert.equal(keyHeaders('none', 'k'), []);
  const version = ['anthropic-version', '2023-06-01'];
  assert.equal(credentialsFor({}, messagesAdapter, 'k'), [...version, 'x-api-key', 'k']);
  assert.equal(credentialsFor({}, messagesAdapter, null), version);
  const wire = { credential: 'bearer', headers: { 'Anthropic-Version': '2', 'anthropic-beta': 'b' } } as const;
  assert.equal(credentialsFor({ wire }, messagesAdapter, 'k'), [
    'anthropic-version',
    '2',
    'anthropic-beta',
    'b',
    'authorization',
    'Bearer k',
  ]);
});

const NOWHERE = { send: () => Promise.reject(new Error('no call is made')) };

it('a secret that only signs is in no header, whatever form is declared', () => {
  for (const secret of ['AKIDEXAMPLE1234567:sesame', '{"private_key":"sesame"}', '{"AccessKeyId":"a"}']) {
    for (const form of CREDENTIAL_FORMS) assert.equal(keyHeaders(form, secret), [], form);
    assert.equal(credentialsFor({ wire: { credential: 'bearer' } }, { credential: 'aws-signature' }, secret), []);
  }
});

it('a path that a server may read as another one is refused', () => {
  for (const path of ['/model/../converse', '/..', '/a/./b', '/a#b', '/a b', '/a\\b', '/a/..?x=1']) {
    assert.throws(() => outboundUrl('https://a/v1', path), /leaves its base/, path);
  }
  assert.is(
    outboundUrl('https://a/v1', '/model/a..b%2F..%3A0/converse?x=..').path,
    '/v1/model/a..b%2F..%3A0/converse?x=..',
  );
});

it('fixed credentials follow the headers of a call, and others are made from the call', async () => {
  const call = {
    method: 'GET',
    url: outboundUrl('http://a/v1', '/models'),
    headers: ['accept', '*'],
    body: null,
  } as const;
  const unsigned = { ...call, clock: systemClock, outbound: NOWHERE };
  assert.equal(await signedHeaders(['x-key', 'k'], unsigned), ['accept', '*', 'x-key', 'k']);
  const signer: Credentials = async ({ method, url, headers }) => ['sign', `${method} ${url.path} ${headers.length}`];
  assert.equal(await signedHeaders(signer, unsigned), ['accept', '*', 'sign', 'GET /v1/models 2']);
});

test.run();
