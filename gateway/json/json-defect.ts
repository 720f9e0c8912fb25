import { BACKSLASH, LETTER_U } from './json-bytes.ts';
import type { Defect } from './json-refusal.ts';

/** The lowest byte of a plain character. */
const SPACE = 0x20;
const ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const HEX = /^[0-9A-Fa-f]{4}$/;

/** Where a text stops being JSON. */
export class BrokenJson extends Error {
  readonly defect: Defect;
  /** Among the bytes that are being read; null: at the token that is being read. */
  readonly at: number | null;

  constructor(defect: Defect = 'unexpected', at: number | null = null) {
    super(defect);
    this.defect = defect;
    this.at = at;
  }
}

/** The first defect of a string's content that does not parse, whose escapes are complete. */
export function brokenString(bytes: Buffer, from: number, to: number): BrokenJson {
  for (let at = from; at < to; at++) {
    if ((bytes[at] as number) < SPACE) return new BrokenJson('control', at);
    if (bytes[at] !== BACKSLASH) continue;
    const escaped = bytes[at + 1] as number;
    const isCode = escaped === LETTER_U && at + 6 <= to && HEX.test(bytes.toString('latin1', at + 2, at + 6));
    if (!isCode && !ESCAPES.has(escaped)) return new BrokenJson('escape', at);
    at += isCode ? 5 : 1;
  }
  return new BrokenJson('unexpected', from);
}
