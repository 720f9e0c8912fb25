import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../../support/bounded.ts';
import { ROOT } from '../../../support/sources.ts';
import { troupe } from './command.ts';
import { failureOf } from './in-process.ts';

const it = bounded(test);
const folder = mkdtempSync(join(tmpdir(), 'troupe-cli-'));
test.after(() => rmSync(folder, { recursive: true }));

test.before(() => {
  writeFileSync(join(folder, 'broken.json'), '{"lisen": {}}');
  writeFileSync(join(folder, 'elsewhere.json'), '{"listen": {"host": "192.0.2.1", "port": 0}}');
  writeFileSync(join(folder, 'nohost.json'), '{"listen": {"host": "0", "port": 0}}');
  writeFileSync(join(folder, 'pg.json'), '{"store": {"kind": "postgres", "url": "postgres://me@127.0.0.1:1/db"}}');
  writeFileSync(join(folder, 'nowhere.json'), '{"store": {"kind": "postgres", "urlEnv": "TROUPE_NO_SUCH_VARIABLE"}}');
});

it('help names every command, every common option, and shows examples', async () => {
  const { code, out } = await troupe(['--help']).ended;
  assert.is(code, 0);
  for (const word of [
    'up',
    'node',
    'accounts',
    'keys',
    'audit',
    'workspaces',
    'generation',
    'export',
    'endpoints',
    'providers',
    'batch',
    'video',
    'webhooks',
    'ps',
    'inspect',
    'why',
    'watch',
    'history',
    'record',
    'replay',
    'drain',
    'reload',
    'reload-config',
    'completion',
    'preflight',
    'retry',
    'skip',
    'migrate',
    'backup',
    'restore',
    'models',
    'refusals',
    'logs',
  ]) {
    assert.match(out, new RegExp(`^  ${word}\\b`, 'm'));
  }
  for (const option of ['--config <file>', '--data <folder>', '--json']) assert.ok(out.includes(option));
  assert.match(out, /Examples:\n {2}troupe up /);
});

it('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  const { code, out } = await troupe(['--version']).ended;
  assert.equal([code, out], [0, `${version}\n`]);
});

type Lines = readonly (readonly [string, readonly string[], RegExp])[];

/** The start of a cluster or a node, and a few others. */
const IN_PROCESSES: Lines = [
  ['an unknown command', ['nonsense'], /unknown command 'nonsense'/],
  [
    'an invalid config',
    ['up', '--config', join(folder, 'broken.json')],
    /^troupe: .*broken\.json: lisen is an unknown member; did you mean listen\?.*\n$/,
  ],
  [
    'a node that is not configured',
    ['node', '--name', 'n9', '--data', folder],
    /^troupe: --name n9 is not a configured node; the nodes are n1, n2, n3\n$/,
  ],
  [
    'no cluster on the folder',
    ['ps', '--data', folder],
    /^troupe: no cluster runs on .*; start one with `troupe up --data /,
  ],
  [
    'a data folder where no folder can be created',
    ['up', '--port', '0', '--data', '/proc/foo'],
    /^troupe: data folder \/proc\/foo cannot be written \(.*\); choose another with --data DIR.*\n$/,
  ],
  [
    'an existing data folder that refuses files',
    ['up', '--port', '0', '--data', '/proc/self'],
    /^troupe: data folder \/proc\/self cannot be written \(.*\); choose another with --data DIR.*\n$/,
  ],
  [
    'the same for a node alone',
    ['node', '--name', 'n1', '--data', '/proc/foo'],
    /^troupe: data folder \/proc\/foo cannot be written \(.*\); choose another with --data DIR.*\n$/,
  ],
  [
    'a host that this machine does not have',
    ['up', '--config', join(folder, 'elsewhere.json'), '--data', folder],
    /^troupe: port 0 on 192\.0\.2\.1 cannot be opened: this machine has no such address; correct listen\.host.*\n$/,
  ],
  [
    'a node that listens where this machine does not',
    ['node', '--name', 'n1', '--listen', '192.0.2.1:0', '--data', folder],
    /^troupe: port 0 on 192\.0\.2\.1 cannot be opened: this machine has no such address; correct --listen\n$/,
  ],
  [
    'a PostgreSQL store without its address',
    ['node', '--name', 'n1', '--config', join(folder, 'nowhere.json'), '--data', folder],
    /^troupe: .*nowhere\.json: store\.kind is "postgres" and neither .*\n$/,
  ],
];

/** Their errors become lines and the exit code as those above. */
const WITHIN_THIS_PROCESS: Lines = [
  ['an invalid port', ['up', '--port', 'x'], /^troupe: --port x is not a port; write a number from 0 to 65535\n$/],
  [
    'a missing config',
    ['up', '--config', 'none.json'],
    /^troupe: .*none\.json: there is no such file; give --config an existing file\n$/,
  ],
  [
    'a migration of a mistyped folder',
    ['migrate', '--data', '/proc/foo'],
    /^troupe: there is no file \/proc\/foo\/troupe\.db: there is nothing to migrate\n$/,
  ],
  [
    'a host that is neither an address nor a name',
    ['up', '--config', join(folder, 'nohost.json'), '--data', folder],
    /^troupe: .*nohost\.json: listen\.host is "0" and must be an address of this machine, such as .*\n$/,
  ],
  [
    'a backup without a database',
    ['backup', 'copy.db', '--data', folder],
    /^troupe: there is no file .*troupe\.db: there is nothing/,
  ],
  ['a missing backup', ['restore', 'none.db', '--data', folder], /^troupe: there is no file .*none\.db/],
  [
    'a backup of PostgreSQL, which has its own tools',
    ['backup', 'copy.dump', '--config', join(folder, 'pg.json'), '--data', folder],
    /^troupe: use the tool of PostgreSQL: pg_dump --format=custom --file=copy\.dump /,
  ],
  ['an invalid address', ['why', 'key'], /^troupe: "key" is not an address or an id; write kind:owner/],
  [
    'a preflight without a database',
    ['preflight', '--data', folder],
    /^troupe: there is no database .*troupe\.db; give its folder with --data/,
  ],
  ['an invalid amount', ['accounts', 'deposit', 'acct_1', '-5e3'], /5e3/],
  ['an invalid account', ['accounts', 'show', 'key:a/b'], /^troupe: "key:a\/b" is not an account; write acct_/],
  [
    'an invalid key',
    ['keys', 'revoke', 'acct_1', '--reason', 'lost'],
    /^troupe: "acct_1" is not a key; write acct_\.\.\.\/key_/,
  ],
];

/** What the command prints to stderr as a process, which must exit with code 1. */
async function failureAlone(args: readonly string[]): Promise<string> {
  const { code, err } = await troupe(args, { cwd: folder }).ended;
  assert.is(code, 1);
  return err;
}

async function failureInFolder(args: readonly string[]): Promise<string> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await failureOf(args);
  } finally {
    process.chdir(before);
  }
}

for (const [how, lines, failure] of [
  ['exit code 1', IN_PROCESSES, failureAlone],
  ['an error', WITHIN_THIS_PROCESS, failureInFolder],
] as const) {
  for (const [what, args, expected] of lines) {
    it(`fails with ${how} and a line that names the remedy: ${what}`, async () => {
      const err = await failure(args);
      assert.match(err, expected);
      assert.not.match(err, /\n\s+at /);
    });
  }
}

test.run();
