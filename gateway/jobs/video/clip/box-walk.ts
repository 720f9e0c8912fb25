import { UnreadableClip } from './unreadable-clip.ts';

/** One box (atom) of an MP4 within a buffer; `body` and `end` are offsets. */
export interface BoxPlace {
  readonly type: string;
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

const HEAD_BYTES = 8;
const LARGE_HEAD_BYTES = 16;
/** Boxes at one level of a head; files have some dozens. */
const BOXES_MAX = 4_096;

/** The boxes from `from` to `to`, which they fill exactly. */
export function boxesIn(bytes: Buffer, from: number, to: number): readonly BoxPlace[] {
  const boxes: BoxPlace[] = [];
  for (let start = from; start < to; ) {
    if (to - start < HEAD_BYTES || boxes.length === BOXES_MAX) throw new UnreadableClip('too many boxes, or a cut one');
    const { size, head, type } = boxHead(bytes, start);
    const end = size === 0 ? to : start + size;
    if (end > to || end < start + head) throw new UnreadableClip(`the box ${type} exceeds its parent`);
    boxes.push({ type, start, body: start + head, end });
    start = end;
  }
  return boxes;
}

/** How many bytes a box head needs, given its first eight. */
export function boxHeadBytes(bytes: Buffer): number {
  return bytes.readUInt32BE(0) === 1 ? LARGE_HEAD_BYTES : HEAD_BYTES;
}

/** The size with the head, 0 for "up to the end"; the bytes of the head must be there. */
export function boxHead(
  bytes: Buffer,
  at: number,
): { readonly size: number; readonly head: number; readonly type: string } {
  const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES);
  const size = bytes.readUInt32BE(at);
  if (size !== 1) return { size, head: HEAD_BYTES, type };
  if (bytes.length < at + LARGE_HEAD_BYTES) throw new UnreadableClip(`the box ${type} is cut`);
  const large = bytes.readBigUInt64BE(at + HEAD_BYTES);
  if (large > BigInt(Number.MAX_SAFE_INTEGER)) throw new UnreadableClip(`the box ${type} has no real size`);
  return { size: Number(large), head: LARGE_HEAD_BYTES, type };
}
