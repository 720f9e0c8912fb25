/** The blob folder meets the contract of the Blobs port; visible files are always complete. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BlobsRefused } from '../../../../../actors/runtime/ports/blobs.ts';
import { openBlobDirectory } from '../../../../../actors/runtime/stores/directory/open-blob-directory.ts';
import { systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { BLOB_BYTES_MAX, BLOB_WRITES_MAX } from '../../../../contracts/blobs/clause.ts';
import { blobsContract } from '../../../../contracts/blobs.contract.ts';
import { bounded } from '../../../../support/bounded.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { nodeArguments } from '../../../../support/node-arguments.ts';
import { pieces } from '../../../../support/pieces.ts';
import { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-blobs-'));
const bounds = { bytesMax: BLOB_BYTES_MAX, writesMax: BLOB_WRITES_MAX };
let places = 0;

function place(): string {
  return join(folder, `place-${++places}`);
}

function fileOf(path: string, id: string): string {
  return join(path, id.slice(0, 7), id);
}

/** Records every positioned read of this process's file handles. */
const reads: (readonly [number, number])[] = [];
const handle = await openFile(folder, 'r');
const handles = Object.getPrototypeOf(handle) as { read(...args: unknown[]): ReturnType<FileHandle['read']> };
await handle.close();
const { read } = handles;
handles.read = async function (this: FileHandle, ...args: unknown[]) {
  const result = await read.apply(this, args);
  reads.push([args[3] as number, result.bytesRead]);
  return result;
};

blobsContract('directory', async (clock) => {
  const path = place();
  const open = () => openBlobDirectory({ path, clock, random: systemRandom, ...bounds });
  const [blobs, other] = await Promise.all([open(), open()]);
  return {
    blobs,
    other,
    touched: () => reads.splice(0),
    damage: async (id, change) => writeFileSync(fileOf(path, id), change(readFileSync(fileOf(path, id)))),
    close: async () => {},
  };
});

it('a process killed during a write leaves no visible blob, and its partial file is swept', async () => {
  const path = place();
  const script = fileURLToPath(new URL('../../../../support/blob-writer.ts', import.meta.url));
  const child = spawn(process.execPath, [...nodeArguments(script), path], { stdio: 'pipe' });
  const exit = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  assert.equal((await exit)[1], 'SIGKILL');
  const clock = new HandClock(Date.now() + 1);
  const blobs = await openBlobDirectory({ path, clock, random: systemRandom, ...bounds });
  assert.equal(await blobs.list({ after: null, before: clock.now(), limit: 9 }), []);
  assert.is(readdirSync(join(path, 'writing')).length, 1, 'the writer was killed during the write');
  assert.is(await blobs.sweepUnfinished(clock.now(), 9), 1);
  assert.equal(readdirSync(path), ['writing']);
});

it('removing a blob removes its empty folder, and files are readable by their owner only', async () => {
  const path = place();
  const blobs = await openBlobDirectory({ path, clock: new HandClock(), random: systemRandom, ...bounds });
  const blob = await blobs.put(pieces.of(Uint8Array.of(1)));
  assert.is(statSync(fileOf(path, blob.id)).mode & 0o777, 0o600);
  assert.is(statSync(path).mode & 0o777, 0o700);
  await blobs.remove(blob.id);
  assert.equal(readdirSync(path), ['writing']);
});

it('a folder that has disappeared, and one that cannot be created, are refused with its name', async () => {
  const path = place();
  const blobs = await openBlobDirectory({ path, clock: new HandClock(), random: systemRandom, ...bounds });
  const blob = await blobs.put(pieces.of(Uint8Array.of(1)));
  rmSync(path, { recursive: true });
  writeFileSync(path, '');
  const open = () => openBlobDirectory({ path, clock: new HandClock(), random: systemRandom, ...bounds });
  for (const work of [() => blobs.put(pieces.of(Uint8Array.of(1))), () => pieces.gather(blobs.read(blob)), open]) {
    const failure = await failureOf(work());
    assert.instance(failure, BlobsRefused);
    assert.is((failure as BlobsRefused).reason, 'unreachable');
    assert.ok(failure.message.includes(path));
  }
});

const limited = process.platform === 'win32' ? null : 'ulimit -f 512';

if (limited) {
  it('a full disk refuses the blob, and no part of it is visible', async () => {
    const path = place();
    const script = fileURLToPath(new URL('../../../../support/blob-writer.ts', import.meta.url));
    const args = [process.execPath, ...nodeArguments(script), path].map((arg) => `'${arg}'`);
    const result = await new Promise<string>((resolve) => {
      execFile('sh', ['-c', `${limited}; exec ${args.join(' ')}`], (_, stdout) => resolve(stdout));
    });
    assert.match(result, /refused (full|unreachable)/);
    assert.equal(readdirSync(join(path, 'writing')), []);
    assert.equal(readdirSync(path), ['writing']);
  });
}

test.after(() => {
  handles.read = read;
  rmSync(folder, { recursive: true });
});

test.run();
