import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type GrantRequest, parseGrant, REPEATED, withParameter } from '../../../gateway/management/grant-request.ts';

const CHALLENGE = 'a'.repeat(43);

function parse(more: Record<string, string | undefined>): GrantRequest | { readonly problem: string } {
  const values: Record<string, string | undefined> = {
    ...{ callback_url: 'https://app.example/cb', code_challenge: CHALLENGE, code_challenge_method: 'S256' },
    ...more,
  };
  return parseGrant((name) => values[name] ?? null);
}
const callback = (callback_url: string) => parse({ callback_url });
const isRefused = (request: object): boolean => 'problem' in request;

test('a callback that leads elsewhere than it says is refused (rule K26)', () => {
  for (const address of [
    ...[
      '',
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example',
      '/callback',
      'ftp://app.example/',
      'https:app.example',
    ],
    ...[
      'http://app.example/',
      'http://localhost.evil.example/',
      'http://127.0.0.1.evil.example/',
      'http://192.168.0.1/',
    ],
    ...['http://127.0.0.2/', 'http://127.1/', 'http://0x7f.0.0.1/', 'http://2130706433/', 'http://0177.0.0.1/'],
    ...['http://localhost./', 'https://app.example./', 'http://%6cocalhost/', 'http://[::ffff:127.0.0.1]/'],
    ...[
      'https://user@app.example/',
      'https://user:pass@app.example/',
      'https://app.example@evil.example/',
      'https://@app.example/',
    ],
    ...[
      'https://app.example/#x',
      'https://app.example/cb#',
      'https://app.example\\@evil.example/',
      'https://app.example/\\x',
    ],
    ...[
      'https://app.example/\r\nLocation: x',
      'https://app.example/\n',
      ' https://app.example/',
      'https://app.example/ x',
      'https://app.example/\t',
    ],
    ...['https://аpple.example/', 'https://app.example/é', 'https://ａpp.example/', 'https://app.example/\u0000'],
    ...[
      'https://',
      'https:///app.example',
      'https://:443/',
      'https://app.example:99999/',
      `https://app.example/${'a'.repeat(8_192)}`,
    ],
  ])
    assert.ok(isRefused(callback(address)), JSON.stringify(address.slice(0, 80)));
});

test('the origin is that of the URL parser, and only real loopback is the own machine (rule K27)', () => {
  for (const [address, origin, mode] of [
    ['https://app.example', 'https://app.example', 'return'],
    ['https://APP.example:443/cb?a=b', 'https://app.example', 'return'],
    ['https://app.example:8443/cb', 'https://app.example:8443', 'return'],
    ['https://xn--pple-43d.com/', 'https://xn--pple-43d.com', 'return'],
    ['https://localhost.evil.example/', 'https://localhost.evil.example', 'return'],
    ['http://localhost:3000/cb', 'http://localhost:3000', 'local'],
    ['http://127.0.0.1/', 'http://127.0.0.1', 'local'],
    ['http://[::1]:3000/', 'http://[::1]:3000', 'local'],
    ['https://localhost/', 'https://localhost', 'local'],
  ] as const) {
    const request = callback(address) as GrantRequest;
    assert.equal([request.callback, request.origin, request.mode], [address, origin, mode], address);
  }
  assert.is((parse({ response_mode: 'manual' }) as GrantRequest).mode, 'manual');
});

test('a limit is an exact decimal, or the request is refused (rule K29)', () => {
  for (const limit of [
    '1e9',
    '-1',
    '+1',
    '0x10',
    'NaN',
    'Infinity',
    '',
    ' 1',
    '1,5',
    '.5',
    '1.',
    '9'.repeat(10_000),
    '１',
  ])
    assert.ok(isRefused(parse({ limit })), limit.slice(0, 20));
  assert.is((parse({ limit: '2.50' }) as GrantRequest).limit, '2.5');
  assert.is((parse({ limit: '0.000000001' }) as GrantRequest).limit, '0.000000001');
  assert.is((parse({}) as GrantRequest).limit, null);
});

test('a challenge is 43 characters of base64url under S256 (rule K25)', () => {
  for (const code_challenge of ['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}+`])
    assert.ok(isRefused(parse({ code_challenge })), code_challenge);
  for (const code_challenge_method of ['plain', 's256', '']) assert.ok(isRefused(parse({ code_challenge_method })));
  assert.not.ok(isRefused(parse({ code_challenge_method: undefined })));
  for (const response_mode of ['query', 'fragment', '']) assert.ok(isRefused(parse({ response_mode })));
  assert.ok(
    isRefused(
      parseGrant((name) => (name === 'limit' ? REPEATED : name === 'callback_url' ? 'https://a.b' : CHALLENGE)),
    ),
  );
});

test('the answer is appended to exactly this address, and its query is kept (rule K27)', () => {
  for (const [address, result] of [
    ['https://app.example', 'https://app.example?code=x'],
    ['https://app.example/a/../b', 'https://app.example/a/../b?code=x'],
    ['https://app.example/cb?', 'https://app.example/cb?code=x'],
    ['https://app.example/cb?a=b%20c', 'https://app.example/cb?a=b%20c&code=x'],
    ['https://app.example/cb?a=b&', 'https://app.example/cb?a=b&code=x'],
  ] as const)
    assert.is(withParameter(address, 'code', 'x'), result);
});

test.run();
