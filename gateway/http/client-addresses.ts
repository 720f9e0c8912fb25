import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** The origin of a request: its connection, and what proxies have added to its headers. */
export interface Remote {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}

/** Proxies in a row that are believed; addresses before them are not read. */
const HOPS_MAX = 16;

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * The names under which clients are counted. The address is the connection's. Where that is a trusted proxy, it is the
 * last one of `X-Forwarded-For` that is not: each proxy appends the address of its own peer, and what stands before was
 * written by the client. A header of anybody else is ignored. (rule E19)
 */
export class ClientAddresses {
  readonly #trusted: readonly Range[];

  /** CIDR ranges. Throws for text that is not one. */
  constructor(trustedProxies: readonly string[]) {
    this.#trusted = trustedProxies.map((range) => ipaddr.parseCIDR(range));
  }

  of({ socket: { remoteAddress }, headers }: Remote): string {
    const forwarded = headers['x-forwarded-for'];
    if (typeof forwarded !== 'string' || !this.isProxy(remoteAddress)) return clientAddress(remoteAddress);
    let client = remoteAddress;
    const hops = forwarded
      .slice(-HOPS_MAX * ADDRESS_CHARACTERS_MAX)
      .split(',')
      .slice(-HOPS_MAX);
    for (const hop of hops.reverse()) {
      const address = hop.trim();
      // Not an address: the proxy that wrote it does not tell, and is the client itself.
      if (!ipaddr.isValid(address)) break;
      client = address;
      if (!this.isProxy(address)) break;
    }
    return clientAddress(client);
  }

  /** True for an address of a trusted proxy: its connections are those of many clients. */
  isProxy(remote: string | undefined): boolean {
    if (this.#trusted.length === 0 || remote === undefined || !ipaddr.isValid(remote)) return false;
    const address = ipaddr.process(remote);
    return this.#trusted.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
  }
}

/** An IPv6 address with a mapped IPv4 part, a comma and spaces. */
const ADDRESS_CHARACTERS_MAX = 64;

/**
 * The name under which a client address is counted: an IPv4 address, or the /64 of an IPv6 address (one household owns
 * a whole /64). Taken from the connection only; headers are ignored. (rule E19, rule E20)
 */
export function clientAddress(remote: string | undefined): string {
  if (remote === undefined || !ipaddr.isValid(remote)) return 'unknown';
  const address = ipaddr.process(remote);
  if (address instanceof ipaddr.IPv6) {
    return `v6-${address.parts
      .slice(0, 4)
      .map((part) => part.toString(16))
      .join('.')}`;
  }
  return `v4-${address.toString()}`;
}
