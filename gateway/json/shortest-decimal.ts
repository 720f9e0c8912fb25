/**
 * A JSON number as the decimal text most likely written by the client: the shortest digits that parse to this number,
 * without an exponent. 1.1 gives `1.1`, not the stored 1.10000000000000008882. Finite and not negative.
 */
export function shortestDecimal(number: number): string {
  const shortest = String(number);
  const e = shortest.indexOf('e');
  if (e < 0) return shortest;
  const [whole = '', fraction = ''] = shortest.slice(0, e).split('.');
  const point = whole.length + Number.parseInt(shortest.slice(e + 1), 10);
  const digits = whole + fraction;
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, '0');
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}
