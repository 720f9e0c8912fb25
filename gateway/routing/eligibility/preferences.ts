import type { Preferences } from '../../terms/turn.ts';
import type { Constraints } from '../endpoints/constraints.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import type { RuleViolation } from './rule-violation.ts';

/** The client's provider preferences must admit the endpoint. (rule I28, rule I32, rule K21) */
export function preferencesRule(indexed: IndexedEndpoint, preferences: Preferences): RuleViolation | null {
  const { only, ignore, order, quantizations } = preferences;
  if (only && !isAmong(indexed, only)) return { reason: 'allowed_providers', member: 'provider.only' };
  if (ignore && isAmong(indexed, ignore)) return { reason: 'allowed_providers', member: 'provider.ignore' };
  if (order && !preferences.allowFallbacks && !isAmong(indexed, order)) {
    return { reason: 'allowed_providers', member: 'provider.order' };
  }
  if (quantizations && !quantizations.includes(indexed.endpoint.quantization ?? 'unknown')) {
    return { reason: 'quantization', member: 'provider.quantizations' };
  }
  return null;
}

/** The lists of the key's workspace must admit the endpoint, whatever the request prefers. (rule I28, rule I32, rule K21) */
export function workspaceRule(indexed: IndexedEndpoint, { workspace }: Constraints): RuleViolation | null {
  const { allowed, ignored } = workspace;
  if (allowed && !isAmong(indexed, allowed)) {
    return { reason: 'allowed_providers', member: 'workspace.allowed_providers' };
  }
  if (ignored && isAmong(indexed, ignored)) {
    return { reason: 'allowed_providers', member: 'workspace.ignored_providers' };
  }
  return null;
}

function isAmong(indexed: IndexedEndpoint, names: readonly string[]): boolean {
  return names.some((name) => isNamed(indexed, name));
}

/** True when a name in a preference list denotes this endpoint: the slug of its provider, or its whole tag. */
export function isNamed({ endpoint }: Pick<IndexedEndpoint, 'endpoint'>, name: string): boolean {
  return endpoint.provider.slug === name || endpoint.tag === name;
}
