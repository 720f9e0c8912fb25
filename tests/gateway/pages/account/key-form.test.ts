import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { entriesOf, keyMembers, NO_ENTRIES, problemsOf } from '../../../../gateway/pages/account/key-form.ts';
import { GatewayError, invalid } from '../../../../gateway/terms/gateway-error.ts';

test('entries become the members of a key, without a judgement', () => {
  assert.equal(keyMembers({ ...NO_ENTRIES, name: 'ci' }), {
    name: 'ci',
    limit: null,
    limit_reset: null,
    expires_at: null,
  });
  const form = new Map([
    ['name', ' ci '],
    ['limit', '1e9'],
    ['window', '__proto__'],
    ['expires', 'soon'],
  ]);
  assert.equal(keyMembers(entriesOf(form)), {
    name: 'ci',
    limit: '1e9',
    limit_reset: '__proto__',
    expires_at: 'soonT00:00:00Z',
  });
});

test('the refusal of a member is shown at its entry', () => {
  assert.equal(problemsOf(invalid('limit must be an amount')), { limit: 'This must be an amount' });
  assert.equal(problemsOf(invalid('limit_reset must be a window')), { window: 'This must be a window' });
  assert.equal(problemsOf(invalid('expires_at must be in the future')), { expires: 'This must be in the future' });
});

test('every other failure is thrown on', () => {
  const message = 'name is not yours';
  const failures = [
    invalid('workspace_id must be a workspace'),
    new GatewayError({ status: 403, type: 'permission_denied', message }),
    new Error(message),
  ];
  for (const failure of failures) {
    let thrown: unknown = null;
    try {
      problemsOf(failure);
    } catch (error) {
      thrown = error;
    }
    assert.is(thrown, failure);
  }
});

test.run();
