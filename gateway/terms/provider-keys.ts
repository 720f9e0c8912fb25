/**
 * The operator's keys: `get` by provider slug, `values` all that may occur in an answer, former ones among them. A key
 * may change while the node runs, so ask each time.
 */
export type ProviderKeys = Pick<ReadonlyMap<string, string>, 'get' | 'values'>;
