/** The text of a callback URL, and the addresses that its name resolves to. */
import { networkInterfaces } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCallbackUrl } from '../../../gateway/jobs/video/parse-video.ts';
import { isCallable, judgeCallbackUrl } from '../../../gateway/outbound/callback-url.ts';
import { isPublicAddress } from '../../../gateway/outbound/public-address.ts';
import type { TargetRules } from '../../../gateway/terms/config/config.ts';
import type { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const NONE: TargetRules = { allowedTargets: [], refusedHosts: [] };
const refusal = (text: string, rules = NONE) => {
  const verdict = judgeCallbackUrl(text, rules);
  return typeof verdict === 'string' ? verdict : null;
};

it('a public HTTPS URL is accepted with its path and query (rule E43)', () => {
  for (const text of [
    'https://example.com',
    'https://EXAMPLE.com/',
    'https://example.com:443/hooks?token=a%20b&x=[1]',
    'https://hooks.example.co.uk:8443/a/b',
    'https://8.8.8.8/hook',
    'https://[2606:4700::1111]:9000/hook',
    `https://example.com/${'a'.repeat(2_048 - 20)}`,
  ]) {
    assert.is(refusal(text), null, text);
  }
});

it('other schemes, ports of other protocols, credentials and long URLs are refused (rule E43)', () => {
  for (const [text, why] of [
    ['http://example.com/hook', /HTTPS/],
    ['ftp://example.com/hook', /HTTPS/],
    ['javascript:alert(1)', /HTTPS/],
    ['//example.com/hook', /URL/],
    ['example.com', /URL/],
    ['', /URL/],
    ['https://', /URL/],
    ['https://example.com:22/', /port/],
    ['https://example.com:25/', /port/],
    ['https://example.com:80/', /port/],
    ['https://example.com:1023/', /port/],
    ['https://example.com:70000/', /URL/],
    ['https://ada@example.com/', /user name/],
    ['https://ada:secret@example.com/', /user name/],
    ['https://:secret@example.com/', /user name/],
    ['https://example.com/#part', /fragment/],
    [`https://example.com/${'a'.repeat(2_048 - 19)}`, /2048 bytes/],
  ] as const) {
    assert.match(refusal(text) ?? 'accepted', why, text);
  }
});

it('text that a parser would repair is refused', () => {
  for (const text of [
    ' https://example.com/',
    'https://example.com/a b',
    'https://exa\tmple.com/',
    'https://example.com/\r\nx-header: 1',
    'https:\\\\example.com/',
    'https://example.com\\@127.0.0.1/',
    'https://bücher.example/',
    'https://127。0。0。1/',
    'https://ex%61mple.com/',
    'https:example.com/',
    'https:/example.com/',
  ]) {
    assert.is.not(refusal(text), null, text);
  }
});

const PRIVATE = [
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '100.64.0.1', '192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
  ...['224.0.0.1', '240.0.0.1', '255.255.255.255'],
  ...['::1', '::', 'fc00::1', 'fdff::1', 'fe80::1', 'fec0::1', 'ff02::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1'],
  ...[
    '::ffff:7f00:1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '100::1',
  ],
  ...['fe80::1%eth0', '2606:4700::1111%1', '', 'localhost', 'example.com', '1.2.3', '0x7f.1'],
];

it('no private, reserved, mapped or zoned address is public (rule E42)', () => {
  for (const address of PRIVATE) assert.not(isPublicAddress(address), address);
  for (const address of ['8.8.8.8', '1.1.1.1', '::ffff:8.8.8.8', '2606:4700::1111'])
    assert.ok(isPublicAddress(address));
});

it('a URL whose host is such an address, in any notation, is refused (rule E43)', () => {
  for (const address of PRIVATE.filter((one) => /^[\d.]+$/.test(one))) {
    assert.is.not(refusal(`https://${address}/`), null, address);
  }
  for (const address of PRIVATE.filter((one) => one.includes(':'))) {
    assert.is.not(refusal(`https://[${address}]/`), null, address);
  }
  for (const host of [
    ...['0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1', '127.1', '0', '8.8.2056', '127.0.0.1.', '8.8.8.8.'],
    ...['localhost', 'localhost.', 'a.localhost', 'metadata', 'example.com.', '[fe80::1%25eth0]', '[::FFFF:8.8.8.8]'],
  ]) {
    assert.is.not(refusal(`https://${host}/`), null, host);
  }
});

it("this host's own addresses and the refused hosts of the operator are refused", () => {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  assert.ok(own.length > 0);
  for (const { address } of own) assert.not(isPublicAddress(address), address);
  const rules = { allowedTargets: [], refusedHosts: ['api.example.com', '8.8.8.0/24'] };
  assert.match(refusal('https://API.example.com/hook', rules) ?? '', /this service/);
  assert.is.not(refusal('https://8.8.8.8/', rules), null);
  assert.not(isCallable('8.8.8.8', rules));
  assert.ok(isCallable('8.8.4.4', rules));
});

it('an operator can allow an origin, also without TLS, or a range of addresses', () => {
  const rules = {
    allowedTargets: ['http://127.0.0.1:9000', 'https://hooks.internal', '10.1.0.0/16'],
    refusedHosts: [],
  };
  assert.is(refusal('http://127.0.0.1:9000/hook', rules), null);
  assert.is(refusal('https://hooks.internal/hook', rules), null);
  assert.is(refusal('https://10.1.2.3/hook', rules), null);
  assert.ok(isCallable('10.1.2.3', rules));
  for (const text of ['http://127.0.0.1:9001/', 'https://127.0.0.1:9000/', 'https://10.2.0.1/', 'http://10.1.2.3/']) {
    assert.is.not(refusal(text, rules), null, text);
  }
  assert.not(isCallable('127.0.0.1', rules), 'an origin does not open its address to other names');
});

it('a submission is refused with 400 naming the member and the reason (rule E43)', () => {
  assert.is(readCallbackUrl(undefined, NONE), null);
  assert.is(readCallbackUrl(null, NONE), null);
  assert.is(readCallbackUrl('https://example.com/x?y=1', NONE), 'https://example.com/x?y=1');
  for (const [value, message] of [
    [7, 'callback_url must be a string'],
    ['http://example.com', 'callback_url must be an HTTPS URL'],
  ] as const) {
    assert.throws(
      () => readCallbackUrl(value, NONE),
      (error: GatewayError) => error.status === 400 && error.message === message,
    );
  }
});

test.run();
