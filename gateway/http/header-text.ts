/**
 * Makes text safe for a header: printable ASCII, bounded, without line ends. Applies to names from a models document
 * and titles from a client, in both directions. Text is never refused, only reduced. (rule E28)
 */
const LENGTH_MAX = 256;
const PLAIN = /^[\x20-\x7e]*$/;
const MARKS = /\p{M}+/gu;
const OUTSIDE = /[^\x20-\x7e]/gu;

/** Letters lose their accents; every other character outside ASCII becomes `?`. Empty text stays empty. */
export function headerText(text: string): string {
  if (text.length <= LENGTH_MAX && PLAIN.test(text)) return text;
  return text.slice(0, LENGTH_MAX).normalize('NFKD').replace(MARKS, '').replace(OUTSIDE, '?').slice(0, LENGTH_MAX);
}
