import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpenUploads } from '../../../../gateway/edge/body/open-uploads.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';

const it = bounded(test);

const refusal = (run: () => unknown): GatewayError => thrownBy(run, GatewayError);

it('bounds the uploads of a key and of an address, and names the bound (rule E40)', () => {
  const uploads = new OpenUploads({ uploadsPerKeyMax: 2, uploadsPerAddressMax: 3 });
  const first = uploads.open('key', 'here');
  uploads.open('key', 'there');
  const ofKey = refusal(() => uploads.open('key', 'here'));
  assert.is(ofKey.status, 429);
  assert.equal(ofKey.metadata, { limit: 2 });
  assert.is(ofKey.headers['retry-after'], '1');
  first();
  uploads.open('key', 'here');
  uploads.open('other', 'here');
  uploads.open('third', 'here');
  const ofAddress = refusal(() => uploads.open('fourth', 'here'));
  assert.equal(ofAddress.metadata, { limit: 3 });
  uploads.open('fourth', 'there');
  uploads.open('fourth', 'there');
  assert.equal(refusal(() => uploads.open('fourth', 'there')).metadata, { limit: 2 }, 'a refusal takes no place');
});

test.run();
