import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { credentialHeaders } from '../../../gateway/outbound/credential-headers.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('each dialect has its own credential headers, and without a key none is sent', () => {
  assert.equal(credentialHeaders('chat', 'k'), ['authorization', 'Bearer k']);
  assert.equal(credentialHeaders('chat', null), []);
  assert.equal(credentialHeaders('messages', 'k'), ['anthropic-version', '2023-06-01', 'x-api-key', 'k']);
  assert.equal(credentialHeaders('messages', null), ['anthropic-version', '2023-06-01']);
});

test.run();
