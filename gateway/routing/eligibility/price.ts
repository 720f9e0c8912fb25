import type { PriceKey } from '../../../actors/terms/tariff.ts';
import { compare, multiply } from '../../../actors/terms/usd.ts';
import type { Turn } from '../../terms/turn.ts';
import type { Constraints } from '../endpoints/constraints.ts';
import type { IndexedEndpoint } from '../endpoints/endpoint-index.ts';
import type { RuleViolation } from './rule-violation.ts';

type Caps = NonNullable<Turn['preferences']['priceMax']>;
type Cap = keyof Caps;

/** Caps on tokens are per million tokens. */
const CAP_TOKENS = 1_000_000;

/**
 * The wire name of each cap, and for which turns its unit is certainly consumed. A missing price per request is free.
 */
const CAPS: readonly { readonly cap: Cap; readonly member: string; readonly isConsumed: (turn: Turn) => boolean }[] = [
  { cap: 'prompt', member: 'prompt', isConsumed: (turn) => !makes('video')(turn) },
  { cap: 'completion', member: 'completion', isConsumed: (turn) => !makes('video')(turn) },
  { cap: 'request', member: 'request', isConsumed: () => false },
  { cap: 'imageOutput', member: 'image_output', isConsumed: makes('image') },
  { cap: 'imageMegapixel', member: 'image_megapixel', isConsumed: makes('image') },
  { cap: 'videoSecond', member: 'video_second', isConsumed: makes('video') },
  {
    cap: 'audioSecond',
    member: 'audio_second',
    isConsumed: ({ modalities }) => modalities?.input.includes('audio') ?? false,
  },
];

/**
 * An endpoint is rejected if any price that may apply exceeds a cap. That includes prices of other hours, since routing
 * does not read the clock, and prices of longer prompts that this one may reach. An undeclared price violates any cap
 * on a unit that the turn certainly consumes. (rule I34)
 */
export function priceRule({ endpoint }: IndexedEndpoint, { turn, promptTokens }: Constraints): RuleViolation | null {
  const caps = turn.preferences.priceMax;
  if (!caps) return null;
  const { tariff } = endpoint;
  const later = tariff.overrides?.filter(({ minPromptTokens = 0 }) => promptTokens > minPromptTokens) ?? [];
  for (const { cap, member, isConsumed } of CAPS) {
    const most = caps[cap];
    if (most === undefined) continue;
    const prices = [tariff, ...later].flatMap((each) => each[cap] ?? []);
    const violated = { reason: 'max_price', member: `provider.max_price.${member}` } as const;
    if (prices.length === 0 && isConsumed(turn)) return { ...violated, detail: 'no price is declared' };
    const above = prices.map((price) => perCap(price, cap)).find((price) => compare(price, most) > 0);
    if (above !== undefined) return { ...violated, detail: `${above} is above ${most}`, price: above };
  }
  return null;
}

/** A price in the unit of its cap. */
function perCap(price: string, unit: PriceKey): string {
  return unit === 'prompt' || unit === 'completion' ? multiply(price, CAP_TOKENS) : price;
}

function makes(modality: 'image' | 'video'): (turn: Turn) => boolean {
  return ({ modalities }) => modalities?.output.includes(modality) ?? false;
}
