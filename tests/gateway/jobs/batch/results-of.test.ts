import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BatchRecord } from '../../../../actors/batch/batch-record.ts';
import type { FileRecord } from '../../../../actors/file/file-record.ts';
import {
  type Cluster,
  KeyDestroyed,
  KeyStoreUnreachable,
  sealBlob,
  systemRandom,
} from '../../../../actors/runtime/index.ts';
import { placeOfFile } from '../../../../gateway/files/file-services.ts';
import { resultsOf } from '../../../../gateway/jobs/batch/read-sealed.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { openStage } from './stage.ts';

const it = bounded(test);
const FILE = `file_${'0'.repeat(32)}`;
const ended = { account: 'acct_1', resultsFileId: FILE } as BatchRecord;

/** A stage whose store has the results file, until `drop`. */
async function stage() {
  const { services, blobs, keys } = openStage();
  const source = async function* () {
    yield Buffer.from('{"a":1}\n');
  };
  const blob = sealBlob(await keys.current(), placeOfFile('acct_1', FILE), await blobs.put(source()), systemRandom);
  const file = { id: FILE, account: 'acct_1', expiresAt: 2_000, blob, bytes: 8 } as FileRecord;
  let stored: FileRecord | null = file;
  const rows = { row: async () => (stored === null ? null : { body: JSON.stringify(stored) }) };
  const cluster = { now: () => 1_000, rows } as unknown as Cluster;
  return {
    keys,
    results: (batch: BatchRecord = ended) => resultsOf({ ...services, cluster }, batch),
    store: (next: FileRecord | null) => {
      stored = next;
    },
    file,
  };
}

async function textOf(source: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  if (source === null) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

it('reads the results file; null while the batch runs, and once the file is deleted, expired or cannot be opened (rule B30)', async () => {
  const on = await stage();
  assert.is(await textOf(await on.results()), '{"a":1}\n');
  assert.is(await on.results({ ...ended, resultsFileId: null }), null);
  on.store({ ...on.file, expiresAt: 1_000 });
  assert.is(await on.results(), null);
  on.store(null);
  assert.is(await on.results(), null);
  on.store(on.file);
  on.keys.key = () => Promise.reject(new KeyDestroyed(0));
  assert.is(await on.results(), null);
});

it('while the key store is out of reach it is a 503 with Retry-After: null would mean that the results expired (rule B32)', async () => {
  const on = await stage();
  on.keys.key = () => Promise.reject(new KeyStoreUnreachable('cut'));
  const error = await on.results().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof GatewayError);
  assert.is(error.status, 503);
  assert.ok(Number(error.headers['retry-after']) > 0);
});

test.run();
