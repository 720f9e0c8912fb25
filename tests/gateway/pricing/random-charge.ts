/** Random price lists and usage, biased to the edges: tiers plus and minus one, window ends to the minute, long rates. */
import type { PriceKey, PriceOverride, Tariff, Weekday } from '../../../actors/terms/tariff.ts';
import type { MediaUnits, Usage } from '../../../gateway/terms/usage.ts';

const KEYS: readonly PriceKey[] = [
  ...(['prompt', 'completion', 'inputCacheRead', 'inputCacheWrite', 'inputCacheWrite1h', 'internalReasoning'] as const),
  ...(['request', 'image', 'imageOutput', 'imageOutputToken', 'imageMegapixel', 'audioSecond', 'audioOutput'] as const),
  'character',
];
const DAYS: readonly Weekday[] = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

interface RandomCharge {
  readonly tariff: Tariff;
  readonly used: Usage;
  readonly terms: { readonly at: number; readonly promptTokens: number; readonly media: MediaUnits };
}

/** Uniform integers from one seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 to below `bound`. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * bound);
  }

  happens(oneIn: number): boolean {
    return this.below(oneIn) === 0;
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }
}

export function randomTariff(dice: Dice): Tariff {
  const overrides = Array.from({ length: dice.below(5) }, () => randomOverride(dice));
  const side = dice.happens(2) ? {} : ({ audioSecondOf: dice.one(['prompt', 'completion'] as const) } as const);
  return { id: 't', discount: 0, ...randomPrices(dice, 2), ...(overrides.length === 0 ? {} : { overrides }), ...side };
}

function randomOverride(dice: Dice): PriceOverride {
  const clock = (): number => dice.below(24) * 100 + dice.below(60);
  return {
    ...randomPrices(dice, 3),
    ...(dice.happens(2) ? { minPromptTokens: dice.below(1_000) } : {}),
    ...(dice.happens(2) ? { utcStart: clock() } : {}),
    ...(dice.happens(2) ? { utcEnd: clock() } : {}),
    ...(dice.happens(3) ? { utcDays: DAYS.filter(() => dice.happens(2)) } : {}),
  };
}

/** Sets each key with probability 1 / `oneIn`; prices have up to 40 decimals. */
function randomPrices(dice: Dice, oneIn: number): Partial<Record<PriceKey, string>> {
  const prices: Partial<Record<PriceKey, string>> = {};
  for (const key of KEYS) if (dice.happens(oneIn)) prices[key] = randomRate(dice);
  return prices;
}

function randomRate(dice: Dice): string {
  const whole = dice.happens(4) ? String(dice.below(1_000)) : '0';
  const decimals = dice.below(41);
  let fraction = '';
  while (fraction.length < decimals) fraction += dice.happens(3) ? '0' : String(dice.below(1_000_000_000));
  fraction = fraction.slice(0, decimals);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

export function randomCharge(dice: Dice, tariff: Tariff): RandomCharge {
  const tiers = (tariff.overrides ?? []).flatMap(({ minPromptTokens }) => minPromptTokens ?? []);
  const near = tiers.length === 0 ? 0 : Math.max(0, dice.one(tiers) + dice.below(3) - 1);
  const promptTokens = dice.happens(2) ? near : dice.below(dice.happens(8) ? 100_000_000 : 3_000);
  const some = (bound: number): number | undefined => (dice.happens(2) ? undefined : dice.below(bound));
  const used = {
    promptTokens,
    completionTokens: dice.below(dice.happens(8) ? 100_000_000 : 3_000),
    cachedTokens: some(promptTokens + 10),
    cacheWriteTokens: some(promptTokens + 10),
    cacheWrite1hTokens: some(promptTokens + 10),
    reasoningTokens: some(2_000),
    imageTokens: some(2_000),
    audioTokens: some(2_000),
  };
  const media = dice.happens(2)
    ? {}
    : {
        images: some(5),
        megapixels: dice.happens(2) ? undefined : decimal(dice, 50),
        imagesUnread: some(3),
        audioSeconds: dice.happens(2) ? undefined : decimal(dice, 3_600),
        audioUnread: dice.happens(4) ? (true as const) : undefined,
        inputImages: some(4),
        inputAudioSeconds: dice.happens(2) ? undefined : decimal(dice, 3_600),
        inputAudioUnread: dice.happens(4) ? (true as const) : undefined,
        inputCharacters: some(9_000),
      };
  const terms = { at: randomInstant(dice, tariff), promptTokens, media: known(media) };
  return { tariff, used: known(used), terms };
}

/** Often the exact start or end of a window of the tariff, or the minute before. */
function randomInstant(dice: Dice, tariff: Tariff): number {
  const day = dice.below(20_000) * 24 * HOUR_MS;
  const ends = (tariff.overrides ?? []).flatMap(({ utcStart, utcEnd }) => [utcStart ?? [], utcEnd ?? []].flat());
  if (ends.length === 0 || dice.happens(2)) return day + dice.below(WEEK_MS);
  const clock = dice.one(ends);
  return day + Math.floor(clock / 100) * HOUR_MS + (clock % 100) * 60_000 - dice.below(2);
}

function decimal(dice: Dice, below: number): string {
  return `${dice.below(below)}.${String(dice.below(1_000_000)).padStart(6, '0')}`;
}

type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function known<T extends object>(members: T): Known<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Known<T>;
}
