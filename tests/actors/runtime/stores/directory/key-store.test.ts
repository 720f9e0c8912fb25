/** The key folder meets the contract of the KeyStore port and is readable by its owner only. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyStoreUnreachable, UnfitKeyStore } from '../../../../../actors/runtime/ports/key-store.ts';
import { openKeyDirectory } from '../../../../../actors/runtime/stores/directory/open-key-directory.ts';
import { systemRandom } from '../../../../../actors/runtime/system/clock.ts';
import { keyStoreContract } from '../../../../contracts/key-store.contract.ts';
import { bounded } from '../../../../support/bounded.ts';
import { everyByte } from '../../../../support/every-byte.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { nodeArguments } from '../../../../support/node-arguments.ts';
import { HandClock } from '../../durable/hand-clock.ts';

const it = bounded(test);
const HOUR_MS = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'troupe-keys-'));
let places = 0;

function place(): string {
  return join(folder, `place-${++places}`);
}

function keyFiles(path: string): readonly string[] {
  return readdirSync(path).filter((name) => name !== 'CACHEDIR.TAG');
}

keyStoreContract('directory', async (clock) => {
  const path = place();
  const [keys, ...others] = await Promise.all(
    [1, 2, 3].map(() => openKeyDirectory({ path, clock, random: systemRandom })),
  );
  if (!keys) throw new Error('nothing was opened');
  return {
    keys,
    others,
    block: async () => renameSync(path, `${path}-away`),
    unblock: async () => renameSync(`${path}-away`, path),
    contents: async () => everyByte(path),
    close: async () => {},
  };
});

it('an empty mount point in place of the folder is unreachable, not a folder with destroyed keys', async () => {
  const path = place();
  const keys = await openKeyDirectory({ path, clock: new HandClock(HOUR_MS * 99), random: systemRandom });
  const { hour } = await keys.current();
  renameSync(path, `${path}-away`);
  mkdirSync(path);
  for (const work of [() => keys.current(), () => keys.key(hour), () => keys.sweep()]) {
    assert.instance(await failureOf(work()), KeyStoreUnreachable);
  }
  assert.equal(readdirSync(path), []);
});

it('the folder and its files are readable by their owner only and carry the tag that backups skip', async () => {
  const path = place();
  const keys = await openKeyDirectory({ path, clock: new HandClock(HOUR_MS * 99), random: systemRandom });
  await keys.current();
  assert.is(statSync(path).mode & 0o777, 0o700);
  assert.equal(keyFiles(path), ['1970-01-05T03.key']);
  for (const name of readdirSync(path)) assert.is(statSync(join(path, name)).mode & 0o777, 0o600);
  assert.match(readFileSync(join(path, 'CACHEDIR.TAG'), 'utf8'), /^Signature: 8a477f597d28d172789f06886806bc55\n/);
});

it('a folder readable by others is refused with a one-line remedy', async () => {
  for (const mode of [0o755, 0o750, 0o701, 0o720]) {
    const path = place();
    mkdirSync(path);
    chmodSync(path, mode);
    const failure = await failureOf(openKeyDirectory({ path, clock: new HandClock(), random: systemRandom }));
    assert.instance(failure, UnfitKeyStore);
    assert.is(failure.message, `the key folder ${path} may be read by others (mode ${mode.toString(8)}): chmod 700 it`);
    assert.equal(readdirSync(path), []);
  }
});

it('an unfinished key file of an ended process is destroyed with its hour, under any name', async () => {
  const path = place();
  const clock = new HandClock(HOUR_MS * 99);
  const keys = await openKeyDirectory({ path, clock, random: systemRandom });
  await keys.current();
  linkSync(join(path, '1970-01-05T03.key'), join(path, `1970-01-05T03.${'a'.repeat(16)}.making`));
  writeFileSync(join(path, `1970-01-05T03.${'b'.repeat(16)}.making`), Buffer.alloc(32, 7));
  writeFileSync(join(path, 'a file of somebody else'), '');
  await clock.advance(50 * HOUR_MS);
  assert.equal(await keys.sweep(), { destroyed: 3, kept: 0 });
  assert.equal(keyFiles(path), ['a file of somebody else']);
});

it('keys that expired while no node ran are destroyed by the next node that opens the folder', async () => {
  const path = place();
  const clock = new HandClock(HOUR_MS * 99);
  await (await openKeyDirectory({ path, clock, random: systemRandom })).current();
  await clock.advance(50 * HOUR_MS);
  await openKeyDirectory({ path, clock, random: systemRandom });
  assert.equal(keyFiles(path), []);
});

it('a truncated key is rejected', async () => {
  const path = place();
  const keys = await openKeyDirectory({ path, clock: new HandClock(HOUR_MS * 99), random: systemRandom });
  const { hour } = await keys.current();
  writeFileSync(join(path, '1970-01-05T03.key'), Buffer.alloc(31));
  for (const work of [() => keys.current(), () => keys.key(hour)])
    assert.instance(await failureOf(work()), KeyStoreUnreachable);
});

it('processes that start an hour at the same time agree on one key', async () => {
  const path = place();
  const script = fileURLToPath(new URL('../../../../support/key-maker.ts', import.meta.url));
  const makers = Array.from({ length: 3 }, () =>
    spawn(process.execPath, [...nodeArguments(script), path], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  await Promise.all(makers.map((maker) => once(maker, 'message')));
  const result = Promise.all(makers.map(async (maker) => (await once(maker, 'message'))[0] as string[]));
  for (const maker of makers) maker.send('begin');
  const [first, ...rest] = await result;
  assert.is(new Set(first).size, 40);
  for (const other of rest) assert.equal(other, first);
  assert.is(keyFiles(path).length, 40, 'no other file remains');
});

test.after(() => rmSync(folder, { recursive: true }));

test.run();
