/** Edge of a square image of the tier `1K`. */
const TIER_PIXELS = 1_024;
const TIER = /^(\d{1,4}(?:\.\d{1,3})?)(k?)$/i;

/** Edge, in pixels, of a square image of a named tier: `1.5K` is 1,536, `512` is 512; null for any other text. */
export function tierEdge(tier: unknown): number | null {
  const match = typeof tier === 'string' ? TIER.exec(tier) : null;
  if (!match) return null;
  const edge = Number(match[1]) * (match[2] === '' ? 1 : TIER_PIXELS);
  return edge > 0 ? edge : null;
}
