import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { credentialReader, readCredential } from '../../../../gateway/edge/auth/request-credential.ts';

test('returns the same credential as readCredential, regardless of the previous request', () => {
  const credentialOf = credentialReader();
  const bearer = 'Bearer sk-1';
  const heads: (readonly [readonly string[], readonly string[]])[] = [
    [[bearer], []],
    [[bearer], []],
    [['Bearer sk-2'], []],
    [['Basic sk-2'], []],
    [[], []],
    [[bearer], ['sk-1']],
    [[bearer], ['sk-2']],
    [[bearer, bearer], []],
    [[], ['sk-2']],
    [[bearer], []],
  ];
  for (const [authorizations, apiKeys] of heads) {
    const head = { authorizations, apiKeys, hosts: 1, count: 2 };
    assert.equal(credentialOf(head), readCredential(head));
  }
});

test.run();
