import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { JsonScan } from '../../../gateway/json/json-scan.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const LIMITS = { depthMax: 64, tokensMax: 200_000 };

function accepts(text: string, chunkBytes = 65_536): boolean {
  const scan = new JsonScan(LIMITS);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    if (!scan.feed(bytes.subarray(at, at + chunkBytes))) return false;
  }
  return true;
}

it('accepts nesting up to the bound and refuses one more (rule E33)', () => {
  assert.ok(accepts('['.repeat(64) + ']'.repeat(64)));
  assert.not.ok(accepts('['.repeat(65) + ']'.repeat(65)));
  assert.not.ok(accepts('{"a":'.repeat(65)));
});

it('refuses many empty arrays and many members', () => {
  assert.not.ok(accepts(`[${'[],'.repeat(100_000)}0]`));
  assert.not.ok(accepts(`{${'"k":1,'.repeat(150_000)}"z":1}`));
});

it('tells which bound a text exceeds', () => {
  const exceeded = (text: string) => {
    const scan = new JsonScan(LIMITS);
    assert.not.ok(scan.feed(Buffer.from(text)));
    return scan.exceeded;
  };
  assert.equal(exceeded('['.repeat(65)), { bound: 'depth', most: 64 });
  assert.equal(exceeded(`[${'[],'.repeat(100_000)}0]`), { bound: 'tokens', most: 200_000 });
  assert.equal(exceeded(`[${'1'.repeat(1_025)}]`), { bound: 'word', most: 1_024 });
});

it('counts nothing inside strings of any content, at any chunk boundary', () => {
  const text = JSON.stringify({ a: '[[[{{{"\\":,,,'.repeat(200_000) });
  for (const chunkBytes of [65_536, 7]) assert.ok(accepts(text, chunkBytes));
});

it('counts members as the parser finds them, for any JSON and any cut', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 9 }), (value, cut) => {
      const scan = new JsonScan(LIMITS);
      const bytes = Buffer.from(JSON.stringify(value));
      for (let at = 0; at < bytes.length; at += cut) assert.ok(scan.feed(bytes.subarray(at, at + cut)));
      assert.is(scan.members, members(JSON.parse(bytes.toString())));
    }),
    { numRuns: 300 },
  );
});

it('finds the end of strings of any length, with any escapes and any cut', () => {
  const text = fc
    .array(fc.constantFrom('"', '\\', 'a', ':', '['), { maxLength: 40 })
    .map((letters) => letters.join(''));
  fc.assert(
    fc.property(fc.dictionary(text, text, { maxKeys: 6 }), fc.integer({ min: 1, max: 60 }), (value, cut) => {
      const scan = new JsonScan({ ...LIMITS, depthMax: 1 });
      const bytes = Buffer.from(JSON.stringify(value));
      for (let at = 0; at < bytes.length; at += cut) assert.ok(scan.feed(bytes.subarray(at, at + cut)));
      assert.is(scan.members, Object.keys(value).length);
    }),
    { numRuns: 500 },
  );
});

it('scans a hostile body in bounded steps (rule E33)', () => {
  const bytes = Buffer.alloc(65_536, '[],');
  const tookMs = Array.from({ length: 200 }, () => {
    const scan = new JsonScan({ depthMax: 64, tokensMax: 1e9 });
    const startedAt = performance.now();
    scan.feed(bytes);
    return performance.now() - startedAt;
  }).sort((a, b) => a - b);
  // Not the maximum, which measures the load of the machine.
  const median = tookMs[tookMs.length >> 1] as number;
  assert.ok(median < 50, `64 KiB took ${median.toFixed(1)} ms`);
});

it('refuses a number beyond the bound but no long string (rule E33)', () => {
  assert.not.ok(accepts(`{"a":${'1'.repeat(2_000)}}`));
  assert.not.ok(accepts(`{"a":${'1'.repeat(2_000)}}`, 100));
  assert.ok(accepts(`{"a":${'1'.repeat(1_000)}, "b": ${'2'.repeat(1_000)}}`, 100));
  assert.ok(accepts(`{"a":"${'1'.repeat(100_000)}"}`));
  assert.ok(accepts(`{"a":${' '.repeat(100_000)}1}`));
});

it('finds the end of a string after any run of backslashes, at any cut', () => {
  for (let backslashes = 0; backslashes < 7; backslashes++) {
    const inside = `${'x'.repeat(backslashes)}${'\\'.repeat(backslashes)}`;
    for (let cut = 1; cut < 9; cut++) {
      const scan = new JsonScan(LIMITS);
      const text = `{"a":"${inside}","b":"[[:,${'\\"'.repeat(backslashes)}","c":{}}`;
      const bytes = Buffer.from(backslashes % 2 === 0 ? text : `{"a":"${inside}\\","b":1}`);
      let fine = true;
      for (let at = 0; at < bytes.length; at += cut) fine = scan.feed(bytes.subarray(at, at + cut)) && fine;
      assert.ok(fine);
      assert.is(scan.members, members(JSON.parse(bytes.toString())), bytes.toString());
    }
  }
});

function members(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, entry) => sum + members(entry), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, entry) => sum + 1 + members(entry), 0);
}

test.run();
