import type { VideoAdapter } from '../../../actors/terms/endpoint.ts';
import type { Asset, SelectedAdapter } from '../../terms/video-request.ts';

/**
 * What keeps an endpoint from applying the selected adapters, as part of a sentence: an unknown id, another revision, a
 * strength out of bounds, a combination or a missing reference. Null where it applies them. (rule V8)
 */
export function refusedAdapters(
  declared: readonly VideoAdapter[],
  selected: readonly SelectedAdapter[],
  assets: readonly Asset[],
): string | null {
  for (const { id, revision, strength } of selected) {
    const adapter = declared.find((each) => each.id === id);
    if (!adapter) return `${id} is not declared`;
    if (adapter.revision !== revision) return `${id} has revision ${adapter.revision}, not ${revision}`;
    const { min, max } = adapter.strength;
    if (strength < min || strength > max) return `${id} has a strength from ${min} to ${max}`;
    const { requiresRole } = adapter;
    if (requiresRole !== undefined && !assets.some(({ role }) => role === requiresRole)) {
      return `${id} needs a reference in the role ${requiresRole}`;
    }
    const stranger = selected.find((other) => other.id !== id && adapter.combinesWith?.includes(other.id) === false);
    if (stranger !== undefined) return `${id} does not combine with ${stranger.id}`;
  }
  return null;
}

/** Ids of the selected adapters that have a price of their own. */
export function pricedAdapters(
  declared: readonly VideoAdapter[],
  selected: readonly SelectedAdapter[],
): readonly string[] {
  return selected.map(({ id }) => id).filter((id) => declared.find((each) => each.id === id)?.included !== true);
}
