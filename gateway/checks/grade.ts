/**
 * Programs that grade an answer by the expected one; no model judges. `exact`: the last line, without case, surrounding
 * marks and spaces. `number`: the last number of the text. `choice`: the last letter from A to J that stands alone.
 */
export type Grader = 'exact' | 'number' | 'choice';

export function isRight(grader: Grader, text: string, expected: string): boolean {
  const read = READERS[grader];
  const found = read(text);
  return found !== null && found === read(expected);
}

const READERS: Readonly<Record<Grader, (text: string) => string | null>> = {
  exact: (text) => trimmed(text.trimEnd().split('\n').at(-1) ?? ''),
  number: (text) => canonical(text.match(/-?\d[\d,]*(\.\d+)?/g)?.at(-1)),
  choice: (text) => text.match(/\b[A-J]\b/g)?.at(-1) ?? null,
};

const MARK = /^[\s"'`*_.]$/;

function trimmed(line: string): string | null {
  let [from, till] = [0, line.length];
  while (from < till && MARK.test(line[from] as string)) from++;
  while (till > from && MARK.test(line[till - 1] as string)) till--;
  return from === till ? null : line.slice(from, till).toLowerCase();
}

/** A number without separators, leading zeros and final zeros of its fraction. */
function canonical(number: string | undefined): string | null {
  if (number === undefined) return null;
  const [whole = '', fraction = ''] = number.replaceAll(',', '').split('.');
  const digits = whole.replace(/^(-?)0+(?=\d)/, '$1');
  const rest = fraction.replace(/0+$/, '');
  const value = rest === '' ? digits : `${digits}.${rest}`;
  return value === '-0' ? '0' : value;
}
