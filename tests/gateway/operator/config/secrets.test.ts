import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemRandom } from '../../../../actors/runtime/index.ts';
import { openSecrets, readPepper } from '../../../../gateway/operator/config/secrets.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-secrets-'));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it('secrets are created once, differ from each other, and are readable by their owner only (rule N37)', () =>
  inFolder(async (folder) => {
    const first = await openSecrets(folder, systemRandom);
    const second = await openSecrets(folder, systemRandom);
    assert.equal(second, first);
    assert.is(first.pepper.length, 32);
    assert.is.not(first.operatorToken, first.clusterSecret);
    assert.is.not(first.operatorToken, first.viewerToken);
    assert.is(statSync(join(folder, 'secrets')).mode & 0o777, 0o700);
    for (const name of readdirSync(join(folder, 'secrets'))) {
      assert.is(statSync(join(folder, 'secrets', name)).mode & 0o777, 0o600);
    }
    assert.is(readFileSync(join(folder, 'secrets', 'operator-token'), 'utf8').trim(), first.operatorToken);
    assert.equal(await readPepper(folder), first.pepper);
  }));

it('processes that start at once agree on the same secrets, and leave no other file behind', () =>
  inFolder(async (folder) => {
    const all = await Promise.all(Array.from({ length: 8 }, () => openSecrets(folder, systemRandom)));
    for (const one of all) assert.equal(one, all[0]);
    assert.is(readdirSync(join(folder, 'secrets')).length, 4);
  }));

it('a damaged or missing secret is named, never replaced (rule N37)', () =>
  inFolder(async (folder) => {
    const missing = await readPepper(folder).catch((error: Error) => error.message);
    assert.match(String(missing), /secrets\/pepper: cannot be read .*start the cluster first/);
    await openSecrets(folder, systemRandom);
    // Secrets of webhooks are derived from the pepper: an empty one would sign what anyone can sign.
    for (const text of ['short', '']) {
      writeFileSync(join(folder, 'secrets', 'pepper'), text);
      const damaged = await openSecrets(folder, systemRandom).catch((error: Error) => error.message);
      assert.match(String(damaged), /secrets\/pepper: must be 64 hex digits; restore it/);
    }
  }));

test.run();
