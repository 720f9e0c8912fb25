/**
 * Text that may stand in a header: printable ASCII, bounded, without line ends. Names from a models document and titles
 * from a caller pass through here in both directions; nothing is ever refused, only folded. (spec: reliability E11)
 */
const LENGTH_MAX = 256;
const PLAIN = /^[\x20-\x7e]*$/;
const MARKS = /\p{M}+/gu;
const OUTSIDE = /[^\x20-\x7e]/gu;

/** Letters lose their accents, everything else outside ASCII becomes `?`; empty text stays empty. */
export function headerText(text: string): string {
  if (text.length <= LENGTH_MAX && PLAIN.test(text)) return text;
  return text.slice(0, LENGTH_MAX).normalize('NFKD').replace(MARKS, '').replace(OUTSIDE, '?').slice(0, LENGTH_MAX);
}
