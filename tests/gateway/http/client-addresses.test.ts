import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientAddresses } from '../../../gateway/http/client-addresses.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

function addressOf(trusted: readonly string[], remoteAddress: string | undefined, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return new ClientAddresses(trusted).of({ socket: { remoteAddress }, headers });
}

it('a client is counted by its connection; whoever is no trusted proxy cannot name another address (rule E19)', () => {
  assert.is(addressOf([], '10.0.0.1', '198.51.100.7'), 'v4-10.0.0.1');
  assert.is(addressOf(['10.0.0.0/8'], '203.0.113.9', '198.51.100.7'), 'v4-203.0.113.9');
  assert.is(addressOf(['10.0.0.0/8'], undefined, '198.51.100.7'), 'unknown');
});

it('behind trusted proxies the client is the last address that is none of theirs (rule E19)', () => {
  const trusted = ['10.0.0.0/8', 'fd00::/8'];
  assert.is(addressOf(trusted, '10.0.0.1', '198.51.100.7'), 'v4-198.51.100.7');
  assert.is(addressOf(trusted, '::ffff:10.0.0.1', '198.51.100.7'), 'v4-198.51.100.7');
  assert.is(addressOf(trusted, '10.0.0.1', '1.2.3.4, 198.51.100.7 , fd00::2,10.9.9.9'), 'v4-198.51.100.7');
  assert.is(addressOf(trusted, 'fd00::1', '2001:db8:1:2:3::4'), 'v6-2001.db8.1.2');
  assert.is(addressOf(trusted, '10.0.0.1', '10.0.0.2'), 'v4-10.0.0.2', 'a proxy that asks for itself');
  assert.is(addressOf(trusted, '10.0.0.1'), 'v4-10.0.0.1');
});

it('text that is no address ends the walk, and a long header costs no more than a short one', () => {
  const trusted = ['10.0.0.0/8'];
  assert.is(addressOf(trusted, '10.0.0.1', 'unknown'), 'v4-10.0.0.1');
  assert.is(addressOf(trusted, '10.0.0.1', '198.51.100.7, <script>, 10.0.0.2'), 'v4-10.0.0.2');
  assert.is(addressOf(trusted, '10.0.0.1', ''), 'v4-10.0.0.1');
  assert.is(addressOf(trusted, '10.0.0.1', `198.51.100.7,${'10.0.0.2,'.repeat(2_000)}10.0.0.3`), 'v4-10.0.0.2');
  assert.throws(() => new ClientAddresses(['10.0.0.0/40']));
});

it('a trusted proxy is known by its own address, in each of its forms', () => {
  const clients = new ClientAddresses(['10.0.0.0/8']);
  assert.is(clients.isProxy('10.1.2.3'), true);
  assert.is(clients.isProxy('::ffff:10.1.2.3'), true);
  assert.is(clients.isProxy('11.1.2.3'), false);
  assert.is(clients.isProxy('fe80::1'), false);
  assert.is(clients.isProxy(undefined), false);
});

test.run();
