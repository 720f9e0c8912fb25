/** What a person meets who turns the demo into a production cluster, forgets an option, or restores a backup. */
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ShownAuditEntry } from '../../../../gateway/operator/api/audit.ts';
import type { ConnectionInfo } from '../../../../gateway/operator/launcher/connection.ts';
import { type Simulator, startSimulator } from '../../../../gateway/simulator/simulator.ts';
import { bounded } from '../../../support/bounded.ts';
import { simulatedProvider } from '../../../support/provider/simulated-provider.ts';
import { type Command, troupe } from './command.ts';
import { told, toldJson } from './in-process.ts';

const it = bounded(test, 200_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-production-'));
const data = join(folder, 'data');
const demoFile = join(folder, 'demo.json');
const realFile = join(folder, 'real.json');
const nextFile = join(folder, 'next.json');
const keyFile = join(folder, 'sim-a.key');
const PEPPER = join(data, 'secrets', 'pepper');
const ONE_NODE = {
  nodes: [{ name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }],
  listen: { host: '127.0.0.1', port: 0 },
  checks: { enabled: false },
};
let provider: Simulator;
let cluster: Command | null = null;
let demoKey = '';
let customerKey = '';

test.before(async () => {
  provider = await startSimulator({ name: 'sim-a', keep: true });
  writeFileSync(demoFile, JSON.stringify({ ...ONE_NODE, demo: { simulators: 1, traffic: false } }));
  writeFileSync(keyFile, 'first-key\n', { mode: 0o600 });
  writeFileSync(realFile, JSON.stringify({ ...ONE_NODE, providers: [declared()] }));
});

test.after(async () => {
  cluster?.child.kill('SIGKILL');
  await cluster?.ended;
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

const declared = () => ({ ...simulatedProvider('sim-a', provider.baseUrl), keyFile: 'sim-a.key' });

const connection = (): ConnectionInfo =>
  JSON.parse(readFileSync(join(data, 'connection.json'), 'utf8')) as ConnectionInfo;

/** Starts a cluster that must come up; returns its banner. */
async function up(...options: readonly string[]): Promise<string> {
  const started = troupe(['up', '--data', data, ...options]);
  cluster = started;
  await started.until(/Ctrl-C drains/);
  if (!/Ctrl-C drains/.test(started.out())) throw new Error((await started.ended).err);
  return started.out();
}

async function stop(): Promise<string> {
  cluster?.child.kill('SIGINT');
  const ended = await cluster?.ended;
  cluster = null;
  assert.is(ended?.code, 0);
  return ended?.err ?? '';
}

/** The message of a start that must be refused. */
async function refused(...options: readonly string[]): Promise<string> {
  const { code, err } = await troupe(['up', '--data', data, ...options]).ended;
  assert.is(code, 1, err);
  assert.is(err.trim().split('\n').length, 1, err);
  return err;
}

/** Runs a command as it is printed, without its shell quotes, within this process. */
function paste(line: string): Promise<string> {
  const [, ...words] = line.trim().match(/"[^"]*"|\S+/g) ?? [];
  return told(words.slice(1).map((word) => word.replaceAll('"', '')));
}

async function status(key: string): Promise<number> {
  const response = await fetch(`${connection().base_url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'Say hello' }] }),
  });
  await response.text();
  return response.status;
}

it('beside real providers the demo account is off, and the banner has the commands of the first account', async () => {
  await up('--config', demoFile);
  demoKey = String(connection().api_key);
  assert.is(await status(demoKey), 200);
  await stop();
  const banner = await up('--config', realFile);
  assert.is(connection().api_key, null);
  assert.is(connection().management_key, null);
  assert.is(await status(demoKey), 401);
  assert.is(provider.calls.length, 0);
  assert.not.match(banner, /sk-gw-v1-/);
  const commands = banner.split('\n').filter((line) => /npx troupe (accounts|keys)/.test(line));
  assert.is(commands.length, 3);
  const [, , made = ''] = await inTurn(commands, paste);
  customerKey = /sk-gw-v1-[0-9a-f]{64}/.exec(made)?.[0] ?? '';
  assert.is(await status(customerKey), 200);
  assert.is(provider.calls.length, 1);
  assert.is(provider.calls.at(-1)?.headers.authorization, 'Bearer first-key');
  // The first two have natural ids: a later start prints them again.
  await inTurn(commands.slice(0, 2), paste);
  const shown = await toldJson<{ deposits: string }>(['accounts', 'show', 'acct_first', '--data', data]);
  assert.is(shown.deposits, '25');
  await newKey();
  await newConfiguration();
  assert.match(await stop(), /^troupe: the keys of the demo account acct_demo are disabled from now on$/m);
});

/** Requests go on while the file is replaced; one of the next carries the new key, and no log holds either. */
async function newKey(): Promise<void> {
  writeFileSync(`${keyFile}.new`, 'second-key\n', { mode: 0o600 });
  renameSync(`${keyFile}.new`, keyFile);
  do {
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.is(await status(customerKey), 200);
  } while (provider.calls.at(-1)?.headers.authorization !== 'Bearer second-key');
  const log = readFileSync(join(data, 'logs', 'n1.log'), 'utf8');
  assert.match(log, /"provider":"sim-a","msg":"the key of a provider was read anew"/);
  assert.not.match(log, /first-key|second-key/);
}

/** The arguments of `troupe reload-config` with this file, beside the running node. */
function reloading(over: object, ...options: readonly string[]): readonly string[] {
  writeFileSync(nextFile, JSON.stringify({ ...ONE_NODE, providers: [declared()], ...over }));
  return ['reload-config', '--config', nextFile, '--data', data, ...options];
}

/** What the operator's audit log has of configurations, newest first. */
async function reloads(): Promise<readonly ShownAuditEntry[]> {
  const log = JSON.parse(await told(['audit', '--data', data, '--json'])) as readonly ShownAuditEntry[];
  return log.filter(({ action }) => action === 'config.reload');
}

async function newConfiguration(): Promise<void> {
  const [before] = connection().nodes;
  assert.is(await told(reloading({})), `nothing to change: every node runs with ${nextFile}\n`);
  const renamed = { providers: [{ ...declared(), name: 'Sim Renamed' }] };
  assert.match(
    await told(reloading(renamed)),
    /^MEMBER +RUNNING +FILE\nproviders\.sim-a\.name +"Sim A" +"Sim Renamed"\n\nnothing was changed; --yes restarts n1 /,
  );
  const { keyFile: _file, ...keyless } = declared();
  const refusals: readonly (readonly [object, RegExp])[] = [
    [{ runtime: { shards: 8 }, listen: { port: 1 } }, /^listen\.port cannot change .*; runtime\.shards cannot change/],
    [
      { providers: [{ ...declared(), keyFile: 'none.key' }] },
      /^node n1 cannot run with it: .*\/none\.key does not exist$/,
    ],
    [
      { providers: [{ ...keyless, apiKeyEnv: 'NO_SUCH_KEY' }] },
      /^node n1 cannot run with it: .*NO_SUCH_KEY, which is not set/,
    ],
    [{ upstream: { probeEvery: 1 } }, /next\.json: upstream\.probeEvery is an unknown member/],
    [{ providers: [] }, /^the file declares no provider, and the cluster runs with real ones/],
  ];
  for (const [over, why] of refusals) {
    const refusal = await told(reloading(over, '--yes', '--reason', 'a test')).catch((error: Error) => error.message);
    assert.match(refusal, why);
  }
  assert.equal(connection().nodes, [before], 'no node was touched');
  assert.equal(await reloads(), [], 'no reload is recorded');
  const { out, err, code } = await troupe(reloading(renamed, '--yes', '--reason', 'a test')).ended;
  assert.is(code, 0, err);
  assert.is(err, 'troupe: n1 drains\ntroupe: n1 serves with the new configuration\n');
  assert.match(out, /\n1 of 1 nodes were restarted\n$/);
  const [recorded, ...others] = await reloads();
  assert.equal(others, []);
  assert.equal([recorded?.target, recorded?.reason, recorded?.result], ['cluster', 'a test', 'done']);
  assert.match(recorded?.principal ?? '', /^operator operator token from v4-127\.0\.0\.1$/);
  assert.is(recorded?.detail, '{"members":["providers.sim-a.name"],"changed":1,"nodes":["n1"]}');
  assert.is.not(connection().nodes[0]?.pid, before?.pid);
  assert.is(await status(customerKey), 200);
  const catalogue = await fetch(`${connection().base_url}/providers`);
  assert.match(await catalogue.text(), /Sim Renamed/);
}

it('a start that forgets the configuration is refused before any node serves, and --demo allows it', async () => {
  for (const options of [
    ['--port', '0'],
    ['--config', demoFile],
  ]) {
    assert.is(
      await refused(...options),
      `troupe: data folder ${data} last ran with the providers sim-a of ${nextFile}, and this start would answer its customers from simulated ones; run \`npx troupe up --data ${data} --config ${nextFile}\`, or add --demo to use simulated providers from now on\n`,
    );
  }
  assert.match(await refused('--config', realFile, '--demo'), /^troupe: --demo starts simulated providers, and .*real/);
  await up('--config', demoFile, '--demo');
  assert.is(connection().api_key, demoKey);
  assert.is(await status(demoKey), 200);
  await stop();
  // The next start needs no --demo: it passes the check of the folder and goes on to open the port, which is taken.
  const { port } = new URL(provider.baseUrl);
  assert.is(
    await refused('--config', demoFile, '--port', port),
    `troupe: port ${port} on 127.0.0.1 is in use; choose another with --port N, or stop what uses it\n`,
  );
});

it('a backup restored without its secrets is refused, and with them every key works again', async () => {
  const copy = join(folder, 'copy.db');
  const secrets = join(folder, 'secrets');
  await paste(`npx troupe backup ${copy} --data ${data}`);
  cpSync(join(data, 'secrets'), secrets, { recursive: true });
  rmSync(data, { recursive: true });
  const restored = await paste(`npx troupe restore ${copy} --data ${data}`);
  assert.match(restored, /\nBefore you start: copy the folder secrets of the same backup to .*\. Without its pepper /);
  assert.match(await refused('--config', realFile), /: .*\/secrets\/pepper is missing, .* --new-pepper, which voids/);
  assert.is(existsSync(PEPPER), false);
  writeFileSync(join(folder, 'other'), `${'ab'.repeat(32)}\n`);
  cpSync(join(folder, 'other'), PEPPER);
  // The node alone: under a launcher, it starts twice before it is given up.
  const { code, err } = await troupe(['node', '--name', 'n1', '--data', data, '--config', realFile]).ended;
  assert.is(code, 1, err);
  assert.match(err, /^troupe: .*\/secrets\/pepper is not the pepper .* --new-pepper, which voids.*\n$/);
  assert.match(await paste(`npx troupe restore ${copy} --force --data ${data}`), /holds another pepper than the keys/);
  cpSync(secrets, join(data, 'secrets'), { recursive: true });
  assert.match(await paste(`npx troupe restore ${copy} --force --data ${data}`), /Its keys are valid/);
  await up('--config', realFile);
  assert.is(await status(customerKey), 200);
  await stop();
});

it('--new-pepper voids every key and continues', async () => {
  rmSync(PEPPER);
  await up('--config', realFile, '--new-pepper');
  assert.is(await status(customerKey), 401);
  const made = await paste(`npx troupe keys create acct_first --data ${data}`);
  assert.is(await status(/sk-gw-v1-[0-9a-f]{64}/.exec(made)?.[0] ?? ''), 200);
  assert.match(
    await stop(),
    /^troupe: every key of .*troupe\.db is void; make new ones with `npx troupe keys create`$/m,
  );
  await up('--config', realFile);
  await stop();
});

async function inTurn<T, R>(all: readonly T[], run: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const one of all) results.push(await run(one));
  return results;
}

test.run();
