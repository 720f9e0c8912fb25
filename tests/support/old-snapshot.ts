import { crc32 } from 'node:zlib';
import { textHash } from '../../actors/runtime/collections/text-hash.ts';
import type { ActorRecord } from '../../actors/runtime/ports/store.ts';

/** The same record as builds before 2026-11-22 wrote it: no time, the sum in front and over the transition log too. */
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
