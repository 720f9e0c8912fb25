/**
 * Where a node dials its peers instead of their own addresses: `{"n1": {"127.0.0.1:7102": "127.0.0.1:9012"}}`, by the
 * dialling node's name. Undefined where nothing is routed. Only chaos tests route: through proxies that cut.
 */
export function routeLinks(routes: string | undefined, name: string): ((address: string) => string) | undefined {
  if (!routes) return undefined;
  const own = (JSON.parse(routes) as Record<string, Record<string, string>>)[name] ?? {};
  return (address) => own[address] ?? address;
}
