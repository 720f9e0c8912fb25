/** What a configuration says of retention. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Retention } from '../../../../actors/terms/retention.ts';
import defaults from '../../../../cluster.config.ts';
import { ConfigError } from '../../../../gateway/operator/config/config-error.ts';
import { loadConfig } from '../../../../gateway/operator/config/load.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'retention-config-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

async function load(retention: Partial<Record<keyof Retention, unknown>>): Promise<Retention> {
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify({ retention }));
  return (await loadConfig({ file: path, cwd: '/', env: {} })).retention;
}

it('a retention is a number of days, or null to keep for ever', async () => {
  assert.equal(await load({ generations: null }), { ...defaults.retention, generations: null });
});

it('months of ledger and audit log are kept for ever unless it says otherwise, and a folder is relative to the file', async () => {
  assert.equal([defaults.retention.ledger, defaults.retention.audit, defaults.retention.export], [null, null, null]);
  const given = { ledger: 400, audit: 90 };
  assert.equal(await load({ ...given, export: 'kept' }), {
    ...defaults.retention,
    ...given,
    export: join(folder, 'kept'),
  });
});

const REFUSED: readonly (readonly [string, Partial<Record<keyof Retention, unknown>>, RegExp])[] = [
  ['of no day', { activity: 0 }, /retention\.activity is 0 and must be days, a whole number/],
  [
    'of a ledger that cannot be reconciled (rule K84)',
    { ledger: 89 },
    /retention\.ledger is 89 and must be days, a whole number from 90 to 36500, or null/,
  ],
  [
    'of an audit log of a month (rule K84)',
    { audit: 31 },
    /retention\.audit is 31 and must be days, a whole number from 90/,
  ],
  [
    'of a ledger that is shorter than that of its generations (rule K85)',
    { ledger: 100, generations: 101 },
    /retention\.ledger is 100 and must be at least 101, as retention\.generations is 101/,
  ],
  [
    'of a ledger beside generations that are kept for ever (rule K85)',
    { ledger: 1_000, generations: null },
    /retention\.ledger is 1000 and must be null, as retention\.generations is null/,
  ],
  ['into a folder without a name', { export: '' }, /retention\.export is "" and must be the path of a folder/],
];

for (const [what, retention, fault] of REFUSED) {
  it(`refuses a retention ${what}`, async () => {
    try {
      await load(retention);
    } catch (error) {
      assert.instance(error, ConfigError);
      assert.match((error as Error).message, fault);
      return;
    }
    assert.unreachable('it was loaded');
  });
}

test.run();
