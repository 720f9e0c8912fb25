/** An integer number of decimal fractions as exact text: 1500000 with 6 digits is `1.5`. */
export function decimalText(fractions: number | bigint, digits: number): string {
  const text = fractions.toString().padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${fraction}`;
}
