/** Luma of one raw macroblock. */
const MACROBLOCK_BYTES = 256;
/** By the luma of full colours. */
const NAMES: Readonly<Record<number, string>> = { 41: 'blue', 82: 'red', 145: 'green', 210: 'yellow' };

/** The first two colours of a clip of raw macroblocks, from the left; for clips whose picture stands still. */
export function clipColours(bytes: Buffer): readonly [left: string, right: string] {
  const lumas: number[] = [];
  for (let at = bytes.indexOf('mdat', 0, 'latin1') + 4; at < bytes.length && lumas.length < 2; at++) {
    const luma = bytes[at] as number;
    if (NAMES[luma] === undefined || lumas.includes(luma)) continue;
    if (bytes.subarray(at, at + MACROBLOCK_BYTES).every((byte) => byte === luma)) lumas.push(luma);
  }
  const [left, right = left] = lumas.map((luma) => NAMES[luma] as string);
  return [left ?? 'unknown', right ?? 'unknown'];
}
