import type { Random } from '../ports/random.ts';

const TIME_DIGITS = 12;
const RANDOM_BYTES = 12;
const SHAPE = /^[0-9a-f]{36}$/;

/**
 * Ids of blobs: twelve hex digits of the time their writing began, then 96 random bits. In their order the oldest come
 * first, so that a sweep sees a blob's age without opening it, and every id is safe as a file name.
 */
export const blobId = {
  make: (now: number, random: Random): string => firstAt(now) + Buffer.from(random.bytes(RANDOM_BYTES)).toString('hex'),
  isOne: (text: string): boolean => SHAPE.test(text),
  madeAt: (id: string): number => Number.parseInt(id.slice(0, TIME_DIGITS), 16),
  /** Every id made at or after this time is not below it. */
  firstAt,
};

function firstAt(ms: number): string {
  return Math.max(0, Math.floor(ms)).toString(16).padStart(TIME_DIGITS, '0');
}
