import type { Preferences } from '../../terms/turn.ts';
import type { Listed } from '../listing.ts';
import type { Objection } from './objection.ts';

/** Whom the caller admits. (conventions 1.1) */
export function againstPreferences(listed: Listed, preferences: Preferences): Objection | null {
  const { only, ignore, order, quantizations } = preferences;
  if (only && !isAmong(listed, only)) return { reason: 'allowed_providers', member: 'provider.only' };
  if (ignore && isAmong(listed, ignore)) return { reason: 'allowed_providers', member: 'provider.ignore' };
  if (order && !preferences.allowFallbacks && !isAmong(listed, order)) {
    return { reason: 'allowed_providers', member: 'provider.order' };
  }
  if (quantizations && !quantizations.includes(listed.offer.quantization ?? 'unknown')) {
    return { reason: 'quantization', member: 'provider.quantizations' };
  }
  return null;
}

function isAmong(listed: Listed, names: readonly string[]): boolean {
  return names.some((name) => isNamed(listed, name));
}

/** True when a name of a preference list means this endpoint: its provider's slug, or its whole tag. */
export function isNamed({ offer }: Listed, name: string): boolean {
  return offer.provider.slug === name || offer.tag === name;
}
