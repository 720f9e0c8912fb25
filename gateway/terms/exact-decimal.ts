import { endianness } from 'node:os';

/** Decimal text as an exact fraction: no duration and no frame rate is ever rounded. */
interface Fraction {
  /** In units of 10 to the power of minus `places`. */
  readonly units: bigint;
  readonly places: number;
}

const DECIMAL = /^\d{1,40}(\.\d{1,40})?$/;

function read(text: string): Fraction {
  if (!DECIMAL.test(text)) throw new RangeError(`not a decimal number: ${JSON.stringify(text).slice(0, 80)}`);
  const [whole = '', decimals = ''] = text.split('.');
  return { units: BigInt(whole + decimals), places: decimals.length };
}

/** Two numbers in units of the same size. */
function aligned(one: string, other: string): readonly [bigint, bigint] {
  const [a, b] = [read(one), read(other)];
  const places = Math.max(a.places, b.places);
  return [a.units * 10n ** BigInt(places - a.places), b.units * 10n ** BigInt(places - b.places)];
}

/** Negative when a < b, 0 when equal, positive when a > b. */
export function compareDecimals(one: string, other: string): number {
  const [a, b] = aligned(one, other);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** True where `value - from` is a whole multiple of `step`; false below `from`. */
export function isOnSteps(value: string, from: string, step: string): boolean {
  const [offset, least] = aligned(value, from);
  if (offset < least) return false;
  const { places } = read(value).places >= read(from).places ? read(value) : read(from);
  const width = read(step);
  const scaled = (offset - least) * 10n ** BigInt(width.places);
  const unit = width.units * 10n ** BigInt(places);
  return unit > 0n && scaled % unit === 0n;
}

/** The product of two numbers where it is whole; null elsewhere. */
export function wholeProduct(one: string, other: string): bigint | null {
  const [a, b] = [read(one), read(other)];
  const unit = 10n ** BigInt(a.places + b.places);
  const product = a.units * b.units;
  return product % unit === 0n ? product / unit : null;
}

const SUM_PLACES = 6;

/** `value + 1 / rate`, rounded up at six decimals. */
export function plusPeriod(value: string, rate: string): string {
  const [a, b] = [read(value), read(rate)];
  const millionths = 10n ** BigInt(SUM_PLACES);
  // value + 1/rate = (units * rateUnits + 10^(places + ratePlaces)) / (10^places * rateUnits)
  const dividend = (a.units * b.units + 10n ** BigInt(a.places + b.places)) * millionths;
  const divisor = 10n ** BigInt(a.places) * b.units;
  const text = ((dividend + divisor - 1n) / divisor).toString().padStart(SUM_PLACES + 1, '0');
  const decimals = text.slice(-SUM_PLACES).replace(/0+$/, '');
  const whole = text.slice(0, -SUM_PLACES);
  return decimals === '' ? whole : `${whole}.${decimals}`;
}

/** Vectors as text: base64 of 32-bit floats, little-endian on every machine. (rule I106) */
const SWAPPED = endianness() === 'BE';

export function floatText(numbers: readonly number[] | Float32Array): string {
  const bytes = Buffer.from(Float32Array.from(numbers).buffer);
  return (SWAPPED ? bytes.swap32() : bytes).toString('base64');
}

/** Null for a text with an incomplete number. */
export function floatsIn(text: string): Float32Array | null {
  const decoded = Buffer.from(text, 'base64');
  if (decoded.length % Float32Array.BYTES_PER_ELEMENT !== 0) return null;
  const floats = new Float32Array(decoded.length / Float32Array.BYTES_PER_ELEMENT);
  Buffer.from(floats.buffer).set(SWAPPED ? decoded.swap32() : decoded);
  return floats;
}

/** True when an object has no members. Allocates no list, since most requests call this several times. */
export function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
