import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endedCookie, sessionCookie, sessionSecretOf } from '../../../../gateway/edge/auth/session-cookie.ts';

const SECRET = '0123456789abcdef'.repeat(4);

test('the cookie is of this host alone, of TLS, unreadable for scripts and sent by this site only (rule K36)', () => {
  assert.is(
    sessionCookie(SECRET, 3_600_000),
    `__Host-troupe-session=${SECRET}; Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Strict`,
  );
  assert.is(endedCookie(), '__Host-troupe-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict');
});

test('the secret of a session is read beside other cookies; nothing else is one', () => {
  const of = (cookie?: string): string | null => sessionSecretOf(cookie === undefined ? {} : { cookie });
  assert.is(of(`theme=dark; __Host-troupe-session=${SECRET}; other=1`), SECRET);
  for (const cookie of [
    undefined,
    '',
    `troupe-session=${SECRET}`,
    `__Secure-troupe-session=${SECRET}`,
    `__Host-troupe-session=${SECRET}0`,
    `__Host-troupe-session=${SECRET.toUpperCase()}`,
    `__Host-troupe-session=${'a'.repeat(9_000)}`,
    `${'a=1; '.repeat(2_000)}__Host-troupe-session=${SECRET}`,
    '__proto__=1',
  ])
    assert.is(of(cookie), null, cookie);
});

test.run();
