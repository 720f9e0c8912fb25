import type { Random } from '../ports/random.ts';

const TIME_DIGITS = 12;
const RANDOM_BYTES = 12;
const SHAPE = /^[0-9a-f]{36}$/;

/**
 * Blob ids: twelve hex digits of the time at which the write began, then 96 random bits. Ascending ids are ascending
 * ages, so a sweep reads a blob's age from its id. Every id is safe as a file name.
 */
export const blobId = {
  make: (now: number, random: Random): string => firstAt(now) + Buffer.from(random.bytes(RANDOM_BYTES)).toString('hex'),
  isOne: (text: string): boolean => SHAPE.test(text),
  madeAt: (id: string): number => Number.parseInt(id.slice(0, TIME_DIGITS), 16),
  /** The smallest id of this time: every id made at or after it compares greater or equal. */
  firstAt,
};

function firstAt(ms: number): string {
  return Math.max(0, Math.floor(ms)).toString(16).padStart(TIME_DIGITS, '0');
}
