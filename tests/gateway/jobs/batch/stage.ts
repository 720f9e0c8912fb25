import type { NewBatch } from '../../../../actors/batch/batch-state.ts';
import type { LineError } from '../../../../actors/batch/line-record.ts';
import {
  type ByteAccess,
  type Cluster,
  openBlob,
  systemClock,
  systemRandom,
} from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import type { FileServices } from '../../../../gateway/files/file-services.ts';
import { parseSubmission, SUBMISSION_TEXTS } from '../../../../gateway/jobs/batch/parse-submission.ts';
import { type NewSubmission, placeOfBodies, sealSubmission } from '../../../../gateway/jobs/batch/seal-submission.ts';
import { JsonReader } from '../../../../gateway/json/json-reader.ts';
import { MemoryBlobs } from '../../../support/memory-blobs.ts';
import { MemoryKeyStore } from '../../../support/memory-key-store.ts';
import { noLiveTraffic } from '../../../support/no-live-traffic.ts';

const ports = { clock: systemClock, random: systemRandom };
export const CHAT = '/v1/chat/completions';
const caller = { account: 'account:acct_1', key: 'key:acct_1/key_1', kind: 'inference' } as const;

/** A node's byte stores without a cluster: sealing a submission asks no actor. */
export function openStage(bytesMax = 64 * 1024 * 1024) {
  const blobs = new MemoryBlobs({ ...ports, bytesMax });
  const keys = new MemoryKeyStore(ports);
  const bytes = { blobs, keys } as ByteAccess;
  const cluster = { now: () => 1_000 } as unknown as Cluster;
  const background = noLiveTraffic(systemClock);
  const services: FileServices = { ...ports, bytes, background, limits: config.files, askMs: 1_000, cluster };
  /** Seals what a client sends as this JSON text. */
  const seal = (text: string, more: Partial<NewSubmission> = {}): Promise<NewBatch> => {
    const reader = new JsonReader({ texts: SUBMISSION_TEXTS });
    reader.feed(Buffer.from(text));
    const submission = parseSubmission(reader.end());
    const requests = Array.isArray(submission.source) ? submission.source : [];
    return sealSubmission(services, {
      ...{ submission, requests, caller, limits: config.edge, windowMs: 86_400_000, idempotency: undefined },
      ...{ attribution: { appTitle: 'app', appUrl: null }, isGone: () => false },
      ...more,
    });
  };
  /** The text of each line's body, or its refusal. */
  const linesOf = async ({ account, id, bodies, lines }: NewBatch): Promise<readonly (string | LineError)[]> => {
    if (bodies === null) return lines.map((line) => ('refused' in line ? line.refused : 'lost'));
    const blob = await openBlob(keys, placeOfBodies(account, id), bodies);
    const pieces: Uint8Array[] = [];
    for await (const piece of blobs.read(blob)) pieces.push(piece);
    const all = Buffer.concat(pieces);
    return lines.map((line) =>
      'refused' in line ? line.refused : all.toString('utf8', line.offset, line.offset + line.length),
    );
  };
  return { services, blobs, keys, seal, linesOf };
}
