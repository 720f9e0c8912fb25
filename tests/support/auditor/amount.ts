/**
 * Money of the auditor: BigInt at 24 decimals, independent of the product's own arithmetic so that the two can
 * disagree. A rate may have more decimals; only the sum of rates times units is floored, once.
 */
const DECIMALS = 24;
const SHAPE = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

interface Exact {
  readonly digits: bigint;
  /** The value is digits / 10^scale. */
  readonly scale: number;
}

/** An amount as units of 10^-24 USD; throws for text that is not an amount or has more than 24 decimals. */
export function amount(text: string): bigint {
  const exact = parse(text);
  if (exact.scale <= DECIMALS) return exact.digits * 10n ** BigInt(DECIMALS - exact.scale);
  const divisor = 10n ** BigInt(exact.scale - DECIMALS);
  if (exact.digits % divisor !== 0n) throw new Error(`"${text}" has more than ${DECIMALS} decimals`);
  return exact.digits / divisor;
}

/**
 * The exact sum of rate x units, floored once at 24 decimals. Units may be decimal text, because some are fractions.
 */
export function cost(parts: readonly { readonly rate: string; readonly units: number | string }[]): bigint {
  const terms = parts.map(({ rate, units }) => {
    const [price, many] = [parse(rate), parse(String(units))];
    return { digits: price.digits * many.digits, scale: price.scale + many.scale };
  });
  const scale = Math.max(DECIMALS, ...terms.map((term) => term.scale));
  let sum = 0n;
  for (const term of terms) sum += term.digits * 10n ** BigInt(scale - term.scale);
  return sum / 10n ** BigInt(scale - DECIMALS);
}

/** Plain decimal text, without trailing zeros. */
export function text(value: bigint): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(DECIMALS + 1, '0');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`;
}

function parse(value: string): Exact {
  const match = SHAPE.exec(value);
  if (!match) throw new Error(`"${value}" is not an amount`);
  const fraction = match[3] ?? '';
  const scale = fraction.length - Number(match[4] ?? 0);
  const digits = BigInt(`${match[2]}${fraction}`) * (match[1] === '-' ? -1n : 1n);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}
