/**
 * Computes charges independently of the product, in integers only: prices in units of 10^-40, quantities in units
 * of 10^-12, rounded down once to 10^-24. Shares no code with the gateway's pricing.
 */
import type { PriceKey, PriceOverride, Tariff, Weekday } from '../../../actors/terms/tariff.ts';
import type { MediaUnits, Usage } from '../../../gateway/terms/usage.ts';

const RATE_DIGITS = 40;
const UNIT_DIGITS = 12;
const CHARGE_DIGITS = 24;
const WEEK: readonly Weekday[] = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

interface Expected {
  readonly cost: string;
  readonly unpriced: readonly string[];
}

export function expectedCharge(
  tariff: Tariff,
  used: Usage,
  at: { readonly at: number; readonly promptTokens: number; readonly media: MediaUnits },
): Expected {
  const rate = (key: PriceKey): bigint | null => priceAt(tariff, key, at.at, at.promptTokens);
  const unpriced = new Set<string>();
  let sum = 0n;
  const take = (key: PriceKey, units: number | string | undefined, name: string | null): void => {
    const quantity = scaled(String(units ?? 0), UNIT_DIGITS);
    const price = rate(key);
    if (quantity === 0n) return;
    if (price === null) {
      if (name !== null) unpriced.add(name);
    } else sum += price * quantity;
  };
  const share = (whole: PriceKey, total: number, parts: readonly (readonly [PriceKey, number | undefined])[]): void => {
    let rest = total;
    for (const [key, count = 0] of parts) {
      if (rate(key) === null) continue;
      const mine = Math.min(count, rest);
      rest -= mine;
      take(key, mine, null);
    }
    take(whole, rest, whole);
  };
  const { media } = at;
  share('prompt', used.promptTokens ?? 0, [
    ['inputCacheRead', used.cachedTokens],
    ['inputCacheWrite', used.cacheWriteTokens],
    ['inputCacheWrite1h', used.cacheWrite1hTokens],
  ]);
  share('completion', used.completionTokens ?? 0, [
    ['internalReasoning', used.reasoningTokens],
    ['imageOutputToken', used.imageTokens],
    ['audioOutput', used.audioTokens],
  ]);
  take('request', 1, null);
  take('image', media.inputImages, null);
  take('character', media.inputCharacters, null);
  if ((media.images ?? 0) > 0 || (media.imagesUnread ?? 0) > 0) {
    take('imageOutput', media.images, null);
    take('imageMegapixel', media.megapixels, null);
    const unread = rate('imageMegapixel') !== null && (media.imagesUnread ?? 0) > 0;
    const unknown = ['imageMegapixel', 'imageOutput', 'imageOutputToken'].every(
      (key) => rate(key as PriceKey) === null,
    );
    if (unread || unknown) unpriced.add('image_megapixel');
  }
  if (media.audioSeconds !== undefined || media.audioUnread) {
    const priced = rate('audioSecond') !== null && tariff.audioSecondOf !== 'prompt';
    if (priced) take('audioSecond', media.audioSeconds, null);
    const unread = priced && media.audioSeconds === undefined;
    if (unread || (!priced && rate('audioOutput') === null)) unpriced.add('audio_second');
  }
  if (rate('audioSecond') !== null) {
    const spokenOnly = tariff.audioSecondOf === 'completion';
    if (!spokenOnly) take('audioSecond', media.inputAudioSeconds, null);
    if (media.inputAudioUnread || (spokenOnly && media.inputAudioSeconds !== undefined)) unpriced.add('audio_second');
  }
  return { cost: text(sum / 10n ** BigInt(RATE_DIGITS + UNIT_DIGITS - CHARGE_DIGITS)), unpriced: [...unpriced] };
}

/** The last price of the key: of the entries with an open window, else of the other entries, else the tariff's. */
function priceAt(tariff: Tariff, key: PriceKey, at: number, promptTokens: number): bigint | null {
  const holding = (tariff.overrides ?? []).filter(
    (entry) => entry[key] !== undefined && promptTokens > (entry.minPromptTokens ?? -1) && inWindow(entry, at),
  );
  const timed = holding.filter((entry) => 'utcStart' in entry || 'utcEnd' in entry || 'utcDays' in entry);
  const price = (timed.at(-1) ?? holding.at(-1) ?? tariff)[key];
  return price === undefined ? null : scaled(price, RATE_DIGITS);
}

function inWindow(entry: PriceOverride, at: number): boolean {
  const date = new Date(at);
  if (entry.utcDays && !entry.utcDays.some((name) => name === WEEK[date.getUTCDay()])) return false;
  const clock = date.getUTCHours() * 100 + date.getUTCMinutes();
  const from = entry.utcStart ?? 0;
  const to = entry.utcEnd ?? 2_400;
  return from < to ? from <= clock && clock < to : !(to <= clock && clock < from);
}

function scaled(value: string, digits: number): bigint {
  const [whole = '0', fraction = ''] = value.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

function text(amount: bigint): string {
  const padded = amount.toString().padStart(CHARGE_DIGITS + 1, '0');
  const whole = padded.slice(0, -CHARGE_DIGITS);
  const fraction = padded.slice(-CHARGE_DIGITS).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
