import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSum, RestoreRefused, withSum } from '../../../../../actors/runtime/actor/charts/snapshot.ts';
import { bounded } from '../../../../support/bounded.ts';

const it = bounded(test);
const AT = 1_763_690_400_000;
const plain = {
  address: 'counter:a',
  kind: 'counter',
  version: 7,
  chart: 1,
  snapshot: '{"value":"open","context":{"name":"Zoë","total":"12.5"},"status":"active"}',
};
const stored = { ...plain, snapshot: withSum(plain, AT) };
const isRefused = (record: typeof plain): boolean => {
  try {
    checkSum(record);
    return false;
  } catch (error) {
    assert.instance(error, RestoreRefused);
    return true;
  }
};

it('accepts a written record, returns its time, and the text stays JSON with the same members', () => {
  for (const at of [AT, 0, -1, 12.75, 1e21]) assert.is(checkSum({ ...plain, snapshot: withSum(plain, at) }), at);
  const { at, sum, ...rest } = JSON.parse(stored.snapshot);
  assert.is(at, AT);
  assert.match(sum, /^[0-9a-f]{8}$/);
  assert.equal(rest, JSON.parse(plain.snapshot));
});

it('detects every single changed bit of the text (rule N12)', () => {
  const bytes = Buffer.from(stored.snapshot);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.ok(isRefused({ ...stored, snapshot: damaged.toString() }), `bit ${bit}`);
  }
});

it('detects every byte replaced by another character', () => {
  const bytes = Buffer.from(stored.snapshot);
  for (let at = 0; at < bytes.length; at++) {
    for (let other = 0x20; other < 0x7f; other++) {
      if (bytes[at] === other) continue;
      const damaged = Buffer.from(bytes);
      damaged[at] = other;
      assert.ok(isRefused({ ...stored, snapshot: damaged.toString() }), damaged.toString());
    }
  }
});

it('detects another address, kind, version or chart, and a truncated text', () => {
  for (const change of [
    { address: 'counter:b' },
    { kind: 'purse' },
    { version: 8 },
    { chart: 2 },
    { snapshot: stored.snapshot.slice(0, -1) },
    { snapshot: stored.snapshot.slice(0, -20) },
    { snapshot: '' },
    { snapshot: '{"sum":"' },
  ]) {
    assert.ok(isRefused({ ...stored, ...change }), JSON.stringify(change));
  }
});

it('accepts a snapshot without a sum, which an operator leaves out when repairing a row', () => {
  assert.is(checkSum({ ...plain, snapshot: '{"value":"open","context":{},"status":"active"}' }), null);
  assert.is(checkSum({ ...plain, snapshot: `{"value":"open","context":{},"status":"active","at":${AT}}` }), null);
  assert.ok(isRefused({ ...plain, snapshot: '{"context":{},"value":"open","status":"active"}' }));
  assert.ok(isRefused({ ...plain, snapshot: '{"value":"open","context":{},"status":"active","more":1}' }));
  assert.ok(isRefused({ ...plain, snapshot: '{"value":"open","context":{},"status":"active"' }));
});

test.run();
