import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Preferences } from '../terms/turn.ts';

/**
 * The part of `provider.options` for the serving provider: the members under its slug that the endpoint declares as
 * passthrough, unchanged. Ignores the slugs of other providers. `ours` lists members of the body that the gateway sets
 * itself even if they are declared. (rule I35)
 */
export function ownOptions(
  options: NonNullable<Preferences['options']>,
  endpoint: Endpoint,
  ours: ReadonlySet<string>,
): Readonly<Record<string, unknown>> {
  const { slug } = endpoint.provider;
  const own = Object.hasOwn(options, slug) ? options[slug] : undefined;
  if (own === undefined) return {};
  const passes = (name: string): boolean =>
    Object.hasOwn(endpoint.passthrough, name) && !ours.has(name) && name !== '__proto__';
  return Object.fromEntries(Object.entries(own).filter(([name]) => passes(name)));
}
