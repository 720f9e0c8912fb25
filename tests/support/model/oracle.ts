/** Exact decimals without the library under test: whole numbers of 1e-64 USD. */
const SCALE = 64;
const UNIT = 10n ** BigInt(SCALE);

/** Amounts are compared after every command of a model: their texts repeat. */
const REMEMBERED_MAX = 20_000;
const unitsOf = new Map<string, bigint>();
const textOf = new Map<bigint, string>();

function remembered<K, V>(known: Map<K, V>, key: K, make: (key: K) => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= REMEMBERED_MAX) known.clear();
  const made = make(key);
  known.set(key, made);
  return made;
}

/** Units of a decimal text. */
export function units(text: string): bigint {
  return remembered(unitsOf, text, parse);
}

function parse(text: string): bigint {
  const negative = text.startsWith('-');
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole) * UNIT + BigInt(fraction.padEnd(SCALE, '0'));
  return negative ? -size : size;
}

/** Canonical text: no exponent, no redundant zeros, `0` and never `-0`. */
export function text(amount: bigint): string {
  return remembered(textOf, amount, render);
}

function render(amount: bigint): string {
  const size = amount < 0n ? -amount : amount;
  const fraction = (size % UNIT).toString().padStart(SCALE, '0').replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${size / UNIT}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Rounded down to a number of decimals. */
export function floorAt(amount: bigint, decimals: number): bigint {
  const step = 10n ** BigInt(SCALE - decimals);
  const rest = ((amount % step) + step) % step;
  return amount - rest;
}
