/** An exact amount as a person reads it: every digit, and cents where there are none. */
export function usdText(amount: string): string {
  const [whole = '0', decimals = ''] = amount.split('.');
  return `${whole}.${decimals.padEnd(2, '0')}`;
}
