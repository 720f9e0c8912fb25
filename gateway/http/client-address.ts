import ipaddr from 'ipaddr.js';

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
