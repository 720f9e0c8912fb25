import { crc32 } from 'node:zlib';
import { textHash } from '../../actors/runtime/collections/text-hash.ts';
import type { ActorRecord } from '../../actors/runtime/ports/store.ts';

/** The record in the format of builds before 2026-11-22: no time, the sum first and also over the transition log. */
export function oldSnapshot(actor: ActorRecord): ActorRecord {
  const { address, kind, version, chart, trail } = actor;
  const { value, context, status } = JSON.parse(actor.snapshot) as Record<string, unknown>;
  const body = JSON.stringify({ value, context, status });
  const start = textHash(` ${kind} ${version} ${chart}`, textHash(address, textHash(trail)));
  const sum = crc32(body, start >>> 0)
    .toString(16)
    .padStart(8, '0');
  return { ...actor, snapshot: `{"sum":"${sum}",${body.slice(1)}` };
}
