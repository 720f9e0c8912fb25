/** What the build of `npm start` must keep although it joins sources and packages in a few files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { buildFirst } from '../../support/cluster/build-first.ts';
import { ROOT } from '../../support/sources.ts';

const it = bounded(test, 60_000);
const DIST = join(ROOT, 'dist');
/** A node that loads 900 files starts 0.6 s of CPU time later. */
const FILES_MAX = 250;

test.before(() => buildFirst());

function filesOf(end: string): readonly string[] {
  return readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(end));
}

it('the source maps name the sources of the product, so that a stack trace can show them', () => {
  const sources = filesOf('.js.map').flatMap((file) => {
    const map = JSON.parse(readFileSync(join(DIST, file), 'utf8')) as { readonly sources: readonly string[] };
    return map.sources.map((source) => resolve(dirname(join(DIST, file)), source));
  });
  assert.ok(sources.includes(join(ROOT, 'gateway', 'main.ts')));
  // What the build writes itself has no source.
  const isWritten = (source: string): boolean => source.includes('node_modules') || source.includes('/required:');
  assert.equal(
    sources.filter((source) => !isWritten(source) && !existsSync(source)),
    [],
  );
});

it('the build consists of few files, and a thread lies beside every chunk that starts it', () => {
  const chunks = filesOf('.js');
  assert.ok(chunks.length > 10 && chunks.length < FILES_MAX, `${chunks.length} files`);
  const started = chunks.flatMap((chunk) => {
    const text = readFileSync(join(DIST, chunk), 'utf8');
    return [...text.matchAll(/"\.\/([a-z-]+)-thread\.ts"/g)].map(([, name]) =>
      join(dirname(chunk), `${name}-thread.js`),
    );
  });
  assert.equal([...new Set(started)].sort(), ['chunks/checkpointer-thread.js', 'chunks/writer-thread.js']);
  for (const thread of started) assert.ok(existsSync(join(DIST, thread)), thread);
});

test.run();
