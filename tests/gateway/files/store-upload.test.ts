import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewFile } from '../../../actors/file/file.machine.ts';
import { openBlob } from '../../../actors/runtime/index.ts';
import { placeOfFile } from '../../../gateway/files/file-services.ts';
import { readFile } from '../../../gateway/files/read-file.ts';
import { storeUpload, type Upload } from '../../../gateway/files/store-upload.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { pieces } from '../../support/pieces.ts';

const it = bounded(test);

/** A node's byte stores, and a cluster that records what it is asked to store. */
function open() {
  const { blobs, keys, filesOf } = memoryFiles();
  const stored: NewFile[] = [];
  const cluster = {
    now: () => 1_000,
    ask: async (_to: string, event: { readonly file: NewFile; readonly lifetimeMs: number }) => {
      stored.push(event.file);
      return { createdAt: 1_000, expiresAt: 1_000 + event.lifetimeMs };
    },
  };
  return { services: filesOf(cluster), blobs, keys, stored };
}

const source = (...texts: readonly string[]) => pieces.of(...texts.map((text) => Buffer.from(text)));

const upload = (source: AsyncIterable<Uint8Array>, account = 'acct_1'): Upload => ({
  account,
  source,
  describe: () => ({ filename: 'a.txt', purpose: 'user_data', lifetimeMs: 3_600_000 }),
});

const refusalOf = (work: Promise<unknown>): Promise<GatewayError> => failureOf(work, GatewayError);

it('a file whose key is lost answers as one that never was, also after a new key of the same hour (rule B36)', async () => {
  // rule B36
  const { services, keys } = open();
  const file = await storeUpload(services, upload(source('hello')));
  keys.lose();
  const destroyed = await refusalOf(readFile(services, file));
  await keys.current();
  const replaced = await refusalOf(readFile(services, file));
  assert.equal([destroyed.status, replaced.status, replaced.message], [404, 404, destroyed.message]);
});

it('seals the bytes for this account and file: under any other name they do not open (rule B48)', async () => {
  const { services, keys } = open();
  const file = await storeUpload(services, upload(source('hello ', 'world')));
  assert.equal([file.bytes, file.mimeType, file.expiresAt], [11, 'text/plain', 3_601_000]);
  const pieces: Uint8Array[] = [];
  for await (const piece of await readFile(services, file)) pieces.push(piece);
  assert.is(Buffer.concat(pieces).toString(), 'hello world');
  for (const moved of [{ account: 'acct_2' }, { id: `${file.id.slice(0, -1)}${file.id.endsWith('0') ? 1 : 0}` }]) {
    const { account, id } = { ...file, ...moved };
    assert.is((await failureOf(openBlob(keys, placeOfFile(account, id), file.blob))).name, 'SealBroken');
    // For the reader it is a file that there is not.
    assert.is((await refusalOf(readFile(services, { ...file, ...moved }))).status, 404);
  }
});

it('while the key store is out of reach nothing is read or stored, and the answer is 503 with Retry-After (rule B44)', async () => {
  const { services, keys, blobs, stored } = open();
  keys.cut = true;
  let pulled = 0;
  const counted = (async function* () {
    pulled++;
    yield Buffer.from('hello');
  })();
  const refused = await refusalOf(storeUpload(services, upload(counted)));
  assert.equal([refused.status, refused.headers['retry-after'], refused.headers['x-should-retry']], [503, '5', 'true']);
  assert.equal([pulled, stored.length], [0, 0]);
  assert.equal(await blobs.list({ after: null, before: Number.MAX_SAFE_INTEGER, limit: 10 }), []);
  keys.cut = false;
  const file = await storeUpload(services, upload(source('hello')));
  keys.cut = true;
  assert.is((await refusalOf(readFile(services, file))).status, 503);
});

it('a source that fails, an empty one and a refused description record no file', async () => {
  const { services, stored } = open();
  const broken = (async function* () {
    yield Buffer.from('hello');
    throw new GatewayError({ status: 408, type: 'timeout', message: 'too slow' });
  })();
  assert.is((await refusalOf(storeUpload(services, upload(broken)))).status, 408);
  assert.is((await refusalOf(storeUpload(services, upload(source())))).status, 400);
  assert.is(stored.length, 0);
});

test.run();
