import type { IncomingMessage } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientAddresses } from '../../../../gateway/http/client-addresses.ts';
import { html } from '../../../../gateway/pages/kit/html.ts';
import { pageAnswer, redirectAnswer } from '../../../../gateway/pages/kit/page-answer.ts';
import { type Site, siteOf } from '../../../../gateway/pages/kit/site.ts';

const PROXIES = new ClientAddresses(['10.0.0.0/8']);

function site(headers: Record<string, string>, remoteAddress = '192.0.2.1'): Site {
  return siteOf({ headers, socket: { remoteAddress } } as unknown as IncomingMessage, PROXIES);
}

test('the public port speaks plain HTTP: only a site on the own machine keeps secure cookies', () => {
  assert.equal(site({ host: 'Example.com' }), { origin: 'http://example.com', isTls: false, isSecure: false });
  for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080'])
    assert.equal(site({ host }), { origin: `http://${host}`, isTls: false, isSecure: true });
  for (const host of ['localhost.evil.example', '127.0.0.1.evil.example', 'evil.example:80', ''])
    assert.is(site({ host }).isSecure, false, host);
});

test('the scheme and the host that a proxy reports count only from a trusted proxy', () => {
  const headers = { host: 'node1:8080', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example.com' };
  assert.equal(site(headers, '10.1.2.3'), { origin: 'https://api.example.com', isTls: true, isSecure: true });
  assert.equal(site(headers), { origin: 'http://node1:8080', isTls: false, isSecure: false });
});

test('of several reported schemes the nearest proxy has the last one', () => {
  const headers = { host: 'api.example.com', 'x-forwarded-proto': 'https, http' };
  assert.is(site(headers, '10.1.2.3').isTls, false);
});

test('a host that is no host is no origin', () => {
  assert.is(site({ host: 'a b' }).origin, 'null');
});

function headerOf(headers: readonly string[] | undefined, name: string): string | null {
  const at = headers?.indexOf(name) ?? -1;
  return at < 0 ? null : (headers?.[at + 1] ?? null);
}

test('a page runs no foreign script, is never framed, kept or told to another site (rule K34)', () => {
  const { headers, body, status, type } = pageAnswer(html`<p></p>`, site({ host: 'localhost' }));
  assert.equal([status, type, body], [200, 'text/html; charset=utf-8', '<!doctype html>\n<p></p>']);
  assert.is(
    headerOf(headers, 'content-security-policy'),
    "default-src 'none'; style-src 'self'; img-src 'self' data:; media-src 'self'; script-src 'self'; " +
      "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  );
  assert.is(headerOf(headers, 'x-frame-options'), 'DENY');
  assert.is(headerOf(headers, 'referrer-policy'), 'no-referrer');
  assert.is(headerOf(headers, 'x-content-type-options'), 'nosniff');
  assert.is(headerOf(headers, 'cache-control'), 'no-store');
  assert.is(headerOf(headers, 'strict-transport-security'), null);
});

test('a site behind TLS tells browsers to use nothing else; forms may lead to one further origin', () => {
  const tls = site({ host: 'api.example.com', 'x-forwarded-proto': 'https' }, '10.1.2.3');
  const { headers, status } = redirectAnswer('/auth', tls, { cookies: ['a=b'], formOrigin: 'https://app.example' });
  assert.is(status, 303);
  assert.is(headerOf(headers, 'strict-transport-security'), 'max-age=31536000');
  assert.is(headerOf(headers, 'location'), '/auth');
  assert.is(headerOf(headers, 'set-cookie'), 'a=b');
  assert.match(headerOf(headers, 'content-security-policy') ?? '', "form-action 'self' https://app.example;");
});

test.run();
