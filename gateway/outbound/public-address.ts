import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** The addresses in use for the internet at large; every other IPv6 address is reserved or local. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for an address that a customer's URL may lead to: public, and none of this host's own. IPv4 addresses in IPv6
 * form are judged as IPv4. False for text that is no address. (rule E42)
 */
export function isPublicAddress(text: string): boolean {
  const address = addressOf(text);
  if (address === null) return false;
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_IPV6)) return false;
  return !ownAddresses().has(address.toNormalizedString());
}

/** True if the address lies in one of the ranges (CIDR). */
export function isInRanges(text: string, ranges: readonly string[]): boolean {
  const address = addressOf(text);
  if (address === null) return false;
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === address.kind() && address.match(network as never, bits);
  });
}

/** Null for text that is no address, and for one with a zone, which names an interface of this host. */
function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return isIP(text) === 0 || text.includes('%') ? null : ipaddr.process(text);
}

/** Read at every use: addresses come and go while a node runs. */
function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return new Set(
    all
      .filter(({ address }) => ipaddr.isValid(address))
      .map(({ address }) => ipaddr.process(address).toNormalizedString()),
  );
}
