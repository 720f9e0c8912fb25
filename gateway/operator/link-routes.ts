/**
 * Redirects the links of a node to its peers: `{"n1": {"127.0.0.1:7102": "127.0.0.1:9012"}}`, by the dialling node's
 * name. Undefined without redirects. Only chaos tests use it, to dial through proxies that cut links.
 */
export function routeLinks(routes: string | undefined, name: string): ((address: string) => string) | undefined {
  if (!routes) return undefined;
  const own = (JSON.parse(routes) as Record<string, Record<string, string>>)[name] ?? {};
  return (address) => own[address] ?? address;
}
