import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorMember, renderEnvelope } from '../../../../gateway/dialects/reply/error-envelope.ts';
import { GatewayError, gatewayErrorOf } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('hides an unexpected cause from the client and keeps it for the log (rule E3)', () => {
  const error = gatewayErrorOf(new TypeError('the pepper is 1234'));
  assert.is(
    renderEnvelope(error),
    '{"error":{"code":500,"message":"Internal Server Error","metadata":{"error_type":"server"}}}',
  );
  assert.match(error.detail ?? '', /pepper/);
});

it('has the status, the message and the public members, and no detail (rule E1)', () => {
  const envelope = renderEnvelope(
    new GatewayError({
      status: 404,
      type: 'not_found',
      message: 'no "such" model',
      detail: 'secret',
      metadata: { requested: 'a/b', error_type: 'forged' },
    }),
  );
  assert.equal(JSON.parse(envelope), {
    error: { code: 404, message: 'no "such" model', metadata: { requested: 'a/b', error_type: 'not_found' } },
  });
});

it('the error member has the status, the message and its type; a 500 has the standard message', () => {
  const error = new GatewayError({ status: 500, type: 'server', message: 'at line 5', detail: 'stack' });
  assert.equal(JSON.parse(errorMember(error)), {
    code: 500,
    message: 'Internal Server Error',
    metadata: { error_type: 'server' },
  });
});

test.run();
