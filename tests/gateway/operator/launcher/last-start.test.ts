import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import defaults from '../../../../cluster.config.ts';
import { refuseSimulators, rememberStart, usesSimulators } from '../../../../gateway/operator/launcher/last-start.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-last-start-'));
  try {
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const provider = (slug: string) => ({ slug, name: slug, baseUrl: `https://${slug}.example/v1`, models: './m.json' });
const real = { ...defaults, providers: ['one', 'two', 'three', 'four'].map(provider) };

const refusal = (folder: string): Promise<string | null> =>
  refuseSimulators(folder).then(
    () => null,
    (error: Error) => error.message,
  );

it('a folder that ran with real providers refuses simulated ones, and names the command to continue with', () =>
  inFolder(async (folder) => {
    assert.is(await refusal(folder), null);
    await rememberStart(folder, '/etc/troupe/my.json', real);
    assert.is(
      await refusal(folder),
      `data folder ${folder} last ran with the providers one, two, three and 1 more of /etc/troupe/my.json, and this start would answer its customers from simulated ones; run \`npx troupe up --data ${folder} --config /etc/troupe/my.json\`, or add --demo to use simulated providers from now on`,
    );
    // A start on simulated providers was allowed by --demo; later ones need no option.
    await rememberStart(folder, null, defaults);
    assert.is(await refusal(folder), null);
  }));

it('a start without any provider is no change of the providers', () =>
  inFolder(async (folder) => {
    const none = { ...defaults, demo: { ...defaults.demo, enabled: false } };
    assert.equal([defaults, real, none].map(usesSimulators), [true, false, false]);
    await rememberStart(folder, '/etc/troupe/my.json', real);
    await rememberStart(folder, null, none);
    assert.match(String(await refusal(folder)), /last ran with the providers one, two/);
  }));

test.run();
