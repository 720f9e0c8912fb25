import { add, multiply, subtract } from '../../actors/terms/usd.ts';

/** A price less its discount, exact: nothing is rounded. `discount` is a fraction as `isFraction` knows them. */
export function discounted(price: string, discount: number): string {
  if (discount === 0) return price;
  const [whole = '0', decimals = ''] = subtract('1', String(discount)).split('.');
  return shifted(multiply(price, Number(whole + decimals)), decimals.length);
}

/** True for a fraction with at most 12 decimals: JSON knows no decimals, and more would be noise of binary numbers. */
export function isFraction(discount: number): boolean {
  return /^-?\d{1,3}(\.\d{1,12})?$/.test(String(discount));
}

/** The amount with its point moved to the left. */
function shifted(amount: string, places: number): string {
  const [whole = '0', decimals = ''] = amount.split('.');
  const digits = whole.padStart(places + 1, '0') + decimals;
  const point = digits.length - decimals.length - places;
  return places === 0 ? amount : add(`${digits.slice(0, point)}.${digits.slice(point)}`, '0');
}
