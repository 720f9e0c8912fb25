/** How amounts, counts, sizes, durations and times read, on the pages and in the console. No amount passes through a float. */

/** Digits behind the point that a page shows; the exact amount is the element's title. */
export const SHOWN_DIGITS = 6;
const LEAST_DIGITS = 2;

/** An exact decimal amount of USD, cut to six digits behind the point: `$12.50`, `-$0.000041`, `< $0.000001`. */
export function usdText(exact: string): string {
  const isNegative = exact.startsWith('-');
  const [whole = '0', fraction = ''] = (isNegative ? exact.slice(1) : exact).split('.');
  const shown = fraction.slice(0, SHOWN_DIGITS).replace(/0+$/, '').padEnd(LEAST_DIGITS, '0');
  const isTiny = /^0*$/.test(whole) && /^0*$/.test(shown) && /[1-9]/.test(fraction);
  const sign = isNegative ? '-' : '';
  return isTiny ? `${sign}< $0.000001` : `${sign}$${grouped(whole)}.${shown}`;
}

/** An amount with all its digits, and cents where there are none: `12.50`. For a decision that depends on it. */
export function exactUsdText(amount: string): string {
  const [whole = '0', decimals = ''] = amount.split('.');
  return `${whole}.${decimals.padEnd(2, '0')}`;
}

/** `12,345`. */
export function countText(count: number): string {
  return grouped(String(count));
}

/** Digits in groups of three. */
function grouped(digits: string): string {
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return groups.join(',');
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const STEP = 1_024;

/** `812 bytes`, `3.4 MiB`. */
export function bytesText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= STEP && unit < UNITS.length - 1; unit++) size /= STEP;
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit]}`;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `850 ms`, `12.3 s`, `4 min 10 s`, `2 h 5 min`, `4 d 3 h`; a negative one reads as zero. */
export function durationText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < MINUTE_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < HOUR_MS) return pair(ms, [MINUTE_MS, 'min'], [SECOND_MS, 's']);
  if (ms < DAY_MS) return pair(ms, [HOUR_MS, 'h'], [MINUTE_MS, 'min']);
  return pair(ms, [DAY_MS, 'd'], [HOUR_MS, 'h']);
}

type Unit = readonly [ms: number, name: string];

function pair(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  const whole = `${Math.floor(ms / large)} ${largeName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}

/** A store time to the second, in UTC: `2026-11-24 11:40:20`. */
export function timeText(at: number): string {
  const iso = new Date(at).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}
