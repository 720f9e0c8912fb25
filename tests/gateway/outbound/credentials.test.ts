import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { bearer, type Credentials, signedHeaders } from '../../../gateway/outbound/credentials.ts';
import { outboundUrl } from '../../../gateway/outbound/outbound.ts';
import { messagesAdapter } from '../../../gateway/providers/messages/adapter.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('each wire has its own credential headers, and without a key none is sent', () => {
  assert.equal(bearer('k'), ['authorization', 'Bearer k']);
  assert.equal(bearer(null), []);
  assert.equal(messagesAdapter.credentials('k'), ['anthropic-version', '2023-06-01', 'x-api-key', 'k']);
  assert.equal(messagesAdapter.credentials(null), ['anthropic-version', '2023-06-01']);
});

it('fixed credentials follow the headers of a call, and others are made from the call', async () => {
  const call = {
    method: 'GET',
    url: outboundUrl('http://a/v1', '/models'),
    headers: ['accept', '*'],
    body: null,
  } as const;
  const unsigned = { ...call, clock: systemClock };
  assert.equal(await signedHeaders(['x-key', 'k'], unsigned), ['accept', '*', 'x-key', 'k']);
  const signer: Credentials = async ({ method, url, headers }) => ['sign', `${method} ${url.path} ${headers.length}`];
  assert.equal(await signedHeaders(signer, unsigned), ['accept', '*', 'sign', 'GET /v1/models 2']);
});

test.run();
