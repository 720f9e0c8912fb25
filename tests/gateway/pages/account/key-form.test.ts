import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NO_ENTRIES, readEntries } from '../../../../gateway/pages/account/key-form.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const read = (entries: object) => readEntries({ ...NO_ENTRIES, name: 'ci', ...entries }, NOW);

test('a key as entered', () => {
  assert.equal(read({}), { name: 'ci', limit: null, limitWindow: null, expiresAt: null, kind: 'inference' });
  assert.equal(read({ limit: '0.50', window: 'daily', expires: '2026-11-24', kind: 'management' }), {
    ...{ name: 'ci', limit: '0.50', limitWindow: 'daily', kind: 'management' },
    expiresAt: Date.UTC(2026, 10, 24),
  });
});

const WRONG: readonly (readonly [string, object])[] = [
  ['name', { name: '' }],
  ['name', { name: 'n'.repeat(101) }],
  ...['1e9', '-1', '0x10', 'NaN', '1,5', ' ', '9'.repeat(41)].map((limit) => ['limit', { limit }] as const),
  ['limit', { window: 'daily' }],
  ['window', { limit: '1', window: 'hourly' }],
  ['window', { limit: '1', window: '__proto__' }],
  ['expires', { expires: '2026-11-23' }],
  ['expires', { expires: '2026-13-01' }],
  ['expires', { expires: 'soon' }],
  ['kind', { kind: 'operator' }],
];

for (const [entry, entries] of WRONG)
  test(`a problem of ${entry}: ${JSON.stringify(entries).slice(0, 60)}`, () => {
    const result = read(entries);
    assert.ok('problems' in result);
    assert.equal(Object.keys(result.problems), [entry]);
  });

test.run();
