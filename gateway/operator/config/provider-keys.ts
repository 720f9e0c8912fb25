import type { ClusterConfig } from '../../terms/config.ts';

/** Provider slug to its API key, for those whose variable is set. */
export function providerKeys(
  { providers }: ClusterConfig,
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const { slug, apiKeyEnv } of providers) {
    const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
    if (key !== undefined && key !== '') keys.set(slug, key);
  }
  return keys;
}
