import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RestoreRefused } from '../../../../actors/runtime/actor/restore-refused.ts';
import { checkSum, withSum } from '../../../../actors/runtime/actor/snapshot-sum.ts';
import { textHash } from '../../../../actors/runtime/actor/text-hash.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);
const plain = {
  address: 'counter:a',
  kind: 'counter',
  version: 7,
  chart: 1,
  snapshot: '{"value":"open","context":{"name":"Zoë","total":"12.5"},"status":"active"}',
  trail: '[[7,1000,"add","open","open"]]',
};
const stored = { ...plain, snapshot: withSum(plain, textHash(plain.trail)) };

const isRefused = (record: typeof plain): boolean => {
  try {
    checkSum(record);
    return false;
  } catch (error) {
    assert.instance(error, RestoreRefused);
    return true;
  }
};

it('takes what was written, and the text stays JSON with the same members', () => {
  checkSum(stored);
  const { sum, ...rest } = JSON.parse(stored.snapshot);
  assert.match(sum, /^[0-9a-f]{8}$/);
  assert.equal(rest, JSON.parse(plain.snapshot));
});

it('finds every single changed bit of the text, wherever it is', () => {
  const bytes = Buffer.from(stored.snapshot);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.ok(isRefused({ ...stored, snapshot: damaged.toString() }), `bit ${bit}`);
  }
});

it('finds another address, kind, version, chart or trail, and a text that was cut', () => {
  for (const change of [
    { address: 'counter:b' },
    { kind: 'purse' },
    { version: 8 },
    { chart: 2 },
    { trail: plain.trail.replace('1000', '9000') },
    { snapshot: stored.snapshot.slice(0, -1) },
    { snapshot: '' },
    { snapshot: '{"sum":"' },
  ]) {
    assert.ok(isRefused({ ...stored, ...change }), JSON.stringify(change));
  }
});

it('takes a snapshot without a sum: an operator who mends a row leaves it out', () => {
  checkSum({ ...plain, snapshot: '{"value":"open","context":{},"status":"active"}' });
  assert.ok(isRefused({ ...plain, snapshot: '{"context":{},"value":"open","status":"active"}' }));
});

test.run();
