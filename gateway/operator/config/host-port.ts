/** `host:port` as the configuration has it, checked before; brackets of an IPv6 address are left out. */
export function hostPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}
