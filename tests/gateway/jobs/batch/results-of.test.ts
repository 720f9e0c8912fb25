import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BatchRecord } from '../../../../actors/batch/batch-record.ts';
import type { FileRecord } from '../../../../actors/file/file-record.ts';
import { KeyDestroyed, KeyStoreUnreachable, sealBlob, systemRandom } from '../../../../actors/runtime/index.ts';
import { placeOfFile } from '../../../../gateway/files/file-services.ts';
import { resultsOf } from '../../../../gateway/jobs/batch/read-sealed.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import { pieces } from '../../../support/pieces.ts';

const it = bounded(test);
const FILE = `file_${'0'.repeat(32)}`;
const ended = { account: 'acct_1', resultsFileId: FILE } as BatchRecord;

/** A store that has the results file, until another is stored. */
async function open() {
  const { filesOf, blobs, keys } = memoryFiles();
  const stored = await blobs.put(pieces.of(Buffer.from('{"a":1}\n')));
  const blob = sealBlob(await keys.current(), placeOfFile('acct_1', FILE), stored, systemRandom);
  const file = { id: FILE, account: 'acct_1', expiresAt: 2_000, blob, bytes: 8 } as FileRecord;
  let record: FileRecord | null = file;
  const rows = { row: async () => (record === null ? null : { body: JSON.stringify(record) }) };
  const files = filesOf({ now: () => 1_000, rows });
  return {
    keys,
    results: (batch: BatchRecord = ended) => resultsOf(files, batch),
    store: (next: FileRecord | null) => {
      record = next;
    },
    file,
  };
}

async function textOf(source: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  return source === null ? null : String(await pieces.gather(source));
}

it('reads the results file; null while the batch runs, and once the file is deleted, expired or cannot be opened (rule B30)', async () => {
  const on = await open();
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
  const on = await open();
  on.keys.key = () => Promise.reject(new KeyStoreUnreachable('cut'));
  const error = await on.results().catch((thrown: unknown) => thrown);
  assert.ok(error instanceof GatewayError);
  assert.is(error.status, 503);
  assert.ok(Number(error.headers['retry-after']) > 0);
});

test.run();
