/** The package that `npm pack` makes, unpacked into an empty folder that has production dependencies only. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConnectionInfo } from '../../../../gateway/operator/launcher/connection.ts';
import { bounded } from '../../../support/bounded.ts';
import { ROOT } from '../../../support/sources.ts';

const it = bounded(test, 120_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-package-'));
const installed = join(folder, 'node_modules', 'troupe');
test.after(() => rmSync(folder, { recursive: true, force: true }));

test.before(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const npm = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(execFileSync('npm', npm, { cwd: ROOT, encoding: 'utf8' })) as [
    { filename: string },
  ];
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  linkProduction();
});

/** What `npm install --omit=dev` would install, as links: with their own places kept, they see only each other. */
function linkProduction(): void {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: true; readonly devOptional?: true }>>;
  };
  for (const [path, { dev, devOptional }] of Object.entries(lock.packages)) {
    // Nested packages come with the one that holds them.
    if (path === '' || dev || devOptional || path.lastIndexOf('node_modules/') > 0) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(folder, path));
  }
}

it('holds the build and what runs it, and no source, test or script', () => {
  assert.equal(readdirSync(installed).sort(), [
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'bin', 'deploy', 'dist', 'docs', 'package.json'],
  ]);
  const files = readdirSync(installed, { recursive: true }) as string[];
  assert.equal(
    files.filter((file) => file.endsWith('.ts') || file.endsWith('.map')),
    [],
  );
});

it('`troupe up` of the package starts a cluster that answers, and Ctrl-C ends it', async () => {
  const config = join(folder, 'one.json');
  const nodes = [{ name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }];
  writeFileSync(
    config,
    JSON.stringify({ nodes, listen: { host: '127.0.0.1', port: 0 }, demo: { simulators: 1, traffic: false } }),
  );
  const child = spawn(process.execPath, [join(installed, 'bin/troupe.mjs'), 'up', '--config', config], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece) => {
        said += piece;
        if (/Ctrl-C drains/.test(said)) resolve();
      });
    }
  });
  try {
    await Promise.race([ready, ended]);
    assert.match(said, /Ctrl-C drains/);
    const { base_url, api_key } = JSON.parse(
      readFileSync(join(folder, 'data/connection.json'), 'utf8'),
    ) as ConnectionInfo;
    const response = await fetch(`${base_url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'Say hello' }] }),
    });
    assert.is(response.status, 200, await response.text());
    child.kill('SIGINT');
    assert.is(await ended, 0, said);
  } finally {
    child.kill('SIGKILL');
  }
});

test.run();
