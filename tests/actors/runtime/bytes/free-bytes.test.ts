import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freeBytes } from '../../../../actors/runtime/bytes/free-bytes.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

it('frees bytes with a buffer of their own', () => {
  const bytes = Buffer.allocUnsafeSlow(64 * 1024);
  freeBytes(bytes);
  assert.is(bytes.length, 0);
});

it('leaves a part of a pool of 64 KiB as it is', () => {
  const size = Buffer.poolSize;
  Buffer.poolSize = 64 * 1024;
  try {
    // Uses up the pool that exists, so that the next one has the size of Node 24.
    const texts = Array.from({ length: 40 }, () => Buffer.from('a'.repeat(3_000)));
    const pooled = texts.at(-1) as Buffer;
    assert.ok(pooled.buffer.byteLength >= 64 * 1024);
    freeBytes(pooled);
    assert.is(pooled.toString(), 'a'.repeat(3_000));
  } finally {
    Buffer.poolSize = size;
  }
});

test.run();
