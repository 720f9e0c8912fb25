import type { Preferences } from '../../terms/turn.ts';
import type { Listed } from '../listing.ts';
import type { Objection } from './objection.ts';

/** Whom the caller admits. (conventions 1.1) */
export function againstPreferences(listed: Listed, preferences: Preferences): Objection | null {
  const { only, ignore, order, quantizations } = preferences;
  const named = (name: string): boolean => isNamed(listed, name);
  if (only && !only.some(named)) return { reason: 'allowed_providers', member: 'provider.only' };
  if (ignore?.some(named)) return { reason: 'allowed_providers', member: 'provider.ignore' };
  if (order && !preferences.allowFallbacks && !order.some(named)) {
    return { reason: 'allowed_providers', member: 'provider.order' };
  }
  if (quantizations && !quantizations.includes(listed.offer.quantization ?? 'unknown')) {
    return { reason: 'quantization', member: 'provider.quantizations' };
  }
  return null;
}

/** True when a name of a preference list means this endpoint: its provider's slug, or its whole tag. */
export function isNamed({ offer }: Listed, name: string): boolean {
  return offer.provider.slug === name || offer.tag === name;
}
