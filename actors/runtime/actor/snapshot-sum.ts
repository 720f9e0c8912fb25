import { crc32 } from 'node:zlib';
import type { ActorRecord } from '../ports/store.ts';
import { RestoreRefused } from './restore-refused.ts';
import { textHash } from './text-hash.ts';

/**
 * The check sum that a stored snapshot carries as its first member. It covers address, kind, version, chart, trail and
 * the rest of the text, so that no changed byte of them is taken for state. It is no defence against somebody who means
 * to forge a row. CRC-32 of zlib for the snapshot, which is flat text (688 characters 0.3 us, FNV-1a in JavaScript 1.1
 * us); everything else comes in as its starting value, since reading the trail's many parts at every commit took 18 us.
 */
const OPENING = '{"sum":"';
const DIGITS = 8;
const BODY_AT = OPENING.length + DIGITS + '",'.length;
/** How a snapshot begins that was written without a sum: by an earlier build, or by an operator who mended it. */
const UNSUMMED = '{"value":';

type Stored = Pick<ActorRecord, 'address' | 'kind' | 'version' | 'chart' | 'snapshot' | 'trail'>;
type Summed = Omit<Stored, 'trail'>;

/** The text of `persist` with its sum in front; `trailHash` is the hash of the trail's text. */
export function withSum(record: Summed, trailHash: number): string {
  return `${OPENING}${sumOf(record, record.snapshot, trailHash)}",${record.snapshot.slice(1)}`;
}

/** @throws RestoreRefused when the record is not what was written. */
export function checkSum(record: Stored): void {
  const { address, snapshot } = record;
  if (snapshot.startsWith(UNSUMMED)) return;
  if (!snapshot.startsWith(OPENING)) throw new RestoreRefused(address, 'its snapshot carries no check sum');
  const sum = snapshot.slice(OPENING.length, OPENING.length + DIGITS);
  const joint = snapshot.slice(OPENING.length + DIGITS, BODY_AT);
  if (joint === '",' && sum === sumOf(record, `{${snapshot.slice(BODY_AT)}`, textHash(record.trail))) return;
  throw new RestoreRefused(address, 'its check sum does not fit: the row was changed or damaged');
}

function sumOf({ address, kind, version, chart }: Summed, body: string, trailHash: number): string {
  const start = textHash(` ${kind} ${version} ${chart}`, textHash(address, trailHash));
  return crc32(body, start >>> 0)
    .toString(16)
    .padStart(DIGITS, '0');
}
