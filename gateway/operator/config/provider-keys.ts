import type { ClusterConfig } from '../../terms/config.ts';

/** API keys by provider slug, for providers whose variable is set. */
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
