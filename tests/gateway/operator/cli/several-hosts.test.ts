/**
 * Follows docs/several-hosts.md on two loopback addresses: every command that it runs stands in the document as written
 * here. Only addresses, ports and the database are replaced, and a simulated provider is added.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClusterView } from '../../../../actors/runtime/index.ts';
import type { ConnectionInfo } from '../../../../gateway/operator/launcher/connection.ts';
import { type Simulator, startSimulator } from '../../../../gateway/simulator/simulator.ts';
import { Authority } from '../../../support/authority.ts';
import { bounded } from '../../../support/bounded.ts';
import { openDatabase, type TestDatabase } from '../../../support/postgres/database.ts';
import { simulatedProvider } from '../../../support/provider/simulated-provider.ts';
import { ROOT } from '../../../support/sources.ts';
import { type Command, type Ended, troupe } from './command.ts';
import { failureOf, toldJson } from './in-process.ts';

const it = bounded(test, 280_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-hosts-'));
const hosts = { n1: join(folder, 'host1'), n2: join(folder, 'host2') } as const;
type Host = keyof typeof hosts;
const text = readFileSync(join(ROOT, 'docs', 'several-hosts.md'), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block);
const running = new Map<Host, { readonly command: Command; readonly url: string }>();
const addresses: Record<Host, string> = { n1: '127.0.0.1', n2: '127.0.0.2' };
/** Of the store and of the sealing keys. */
const databases: TestDatabase[] = [];
let provider: Simulator;
let charged = 0;

test.before(async () => {
  for (const [, variable = ''] of blocks('sh')
    .join('\n')
    .matchAll(/export (\w+)=postgres:/g)) {
    const database = await openDatabase();
    databases.push(database);
    process.env[variable] = database.url;
  }
  assert.is(databases.length, 2);
  provider = await startSimulator({ name: 'sim-a', keep: true });
  // Other systems than Linux have one loopback address only.
  if ((await freePort(addresses.n2).catch(() => null)) === null) addresses.n2 = addresses.n1;
});

test.after(async () => {
  for (const { command } of running.values()) {
    command.child.kill('SIGKILL');
    await command.ended;
  }
  await provider.close();
  for (const database of databases) await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(address: string): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A command of the document, run in the folder of a host. */
function documented(host: Host, line: string, replace: Readonly<Record<string, string>> = {}): Command {
  const isThere = blocks('sh').some((block) => block.split('\n').includes(line));
  assert.ok(isThere, `the document has no line ${line}`);
  const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''));
  return troupe(
    words.slice(2).map((word) => replace[word] ?? word),
    { cwd: hosts[host] },
  );
}

async function done(command: Command): Promise<Ended> {
  const ended = await command.ended;
  assert.is(ended.code, 0, ended.err);
  return ended;
}

async function startNode(host: Host): Promise<void> {
  const command = documented(host, `npx troupe node --name ${host} --listen 0.0.0.0:8080 --config cluster.json`, {
    '0.0.0.0:8080': `${addresses[host]}:0`,
  });
  await command.until(/^\{"node":.*\}$/m);
  const [line] = /^\{"node":.*\}$/m.exec(command.out()) ?? [];
  if (line === undefined) throw new Error((await command.ended).err);
  running.set(host, { command, url: (JSON.parse(line) as { url: string }).url });
}

/** One charged chat; a request during a takeover may be refused with the advice to repeat it. */
async function chat(host: Host, key: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${running.get(host)?.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'Say hello' }] }),
    });
    const body = await response.text();
    if (response.status === 503) continue;
    assert.is(response.status, 200, body);
    charged += (JSON.parse(body) as { usage: { cost: number } }).usage.cost;
    return;
  }
}

/** The options of a command that runs within this process, not in the folder of the host. */
const at = (host: Host): readonly string[] => [
  ...['--config', join(hosts[host], 'cluster.json'), '--data', join(hosts[host], 'data')],
];

async function liveNodes(host: Host): Promise<readonly string[]> {
  const { nodes } = await toldJson<ClusterView>(['ps', ...at(host)]);
  return nodes.flatMap(({ name, live }) => (live ? [name] : [])).sort();
}

async function makeCertificates(): Promise<void> {
  const [documentedLines = ''] = blocks('sh');
  if (spawnSync('openssl', ['version']).status === 0) {
    execFileSync('sh', ['-ec', documentedLines], { cwd: folder, stdio: 'ignore' });
    return;
  }
  mkdirSync(join(folder, 'certs'));
  const authority = await Authority.make();
  for (const name of ['n1', 'n2']) {
    const { ca, certificate, key } = await authority.issue({ names: [name] });
    const files = { 'ca.pem': ca, [`${name}.pem`]: certificate, [`${name}.key`]: key };
    for (const [file, pem] of Object.entries(files)) writeFileSync(join(folder, 'certs', file), pem);
  }
}

const connection = (host: Host): ConnectionInfo =>
  JSON.parse(readFileSync(join(hosts[host], 'data', 'connection.json'), 'utf8')) as ConnectionInfo;

it('certificates and configuration are made as the document says', async () => {
  await makeCertificates();
  let config = blocks('json')[0] ?? '';
  for (const [host, documentedAt] of [['n1', '10.0.0.1'] as const, ['n2', '10.0.0.2'] as const]) {
    for (const port of ['7100', '9100']) {
      assert.ok(config.includes(`"${documentedAt}:${port}"`));
      const own = `${addresses[host]}:${await freePort(addresses[host])}`;
      config = config.replace(`${documentedAt}:${port}`, own);
    }
  }
  const written = JSON.parse(config) as { readonly store: { readonly kind: string } };
  assert.is(written.store.kind, 'postgres');
  const whole = { ...written, checks: { enabled: false }, providers: [simulatedProvider('sim-a', provider.baseUrl)] };
  for (const host of ['n1', 'n2'] as const) {
    mkdirSync(join(hosts[host], 'certs'), { recursive: true });
    for (const file of ['ca.pem', `${host}.pem`, `${host}.key`]) {
      cpSync(join(folder, 'certs', file), join(hosts[host], 'certs', file));
    }
    writeFileSync(join(hosts[host], 'cluster.json'), JSON.stringify(whole));
  }
});

it('nodes, accounts, keys, charged chats, a drain and a killed node work from either host', async () => {
  await startNode('n1');
  const alone = documented('n2', 'npx troupe node --name n2 --listen 0.0.0.0:8080 --config cluster.json', {
    '0.0.0.0:8080': `${addresses.n2}:0`,
  });
  const { code, err } = await alone.ended;
  assert.is(code, 1);
  assert.match(err, /^troupe: .*secrets\/pepper is missing, .* or from another host of this cluster/m);
  cpSync(join(hosts.n1, 'data', 'secrets'), join(hosts.n2, 'data', 'secrets'), { recursive: true });
  await startNode('n2');
  assert.equal(
    connection('n1').nodes.map(({ name }) => name),
    ['n1'],
  );
  assert.is(connection('n2').base_url, `${running.get('n2')?.url}/api/v1`);

  assert.match((await done(documented('n2', 'npx troupe ps --config cluster.json'))).out, /^n1 .*\bup\b[\s\S]*^n2 /m);
  const account = 'npx troupe accounts create "First customer" --id acct_first --config cluster.json';
  await done(documented('n2', account));
  await done(documented('n1', 'npx troupe accounts deposit acct_first 25 --id dep_first --config cluster.json'));
  const made = await done(documented('n2', 'npx troupe keys create acct_first --name first --config cluster.json'));
  const key = /sk-gw-v1-[0-9a-f]{64}/.exec(made.out)?.[0] ?? '';
  assert.match(
    (await done(documented('n1', 'npx troupe models refresh --reason "first models" --config cluster.json'))).out,
    /\nsim-a +\d/,
  );
  await chat('n1', key);
  await chat('n2', key);

  const drained = running.get('n2')?.command as Command;
  await done(documented('n1', 'npx troupe drain n2 --reason "a new build" --config cluster.json'));
  assert.is((await drained.ended).code, 0);
  assert.is(existsSync(join(hosts.n2, 'data', 'connection.json')), false);
  assert.equal(await liveNodes('n2'), ['n1']);
  assert.is(
    await failureOf(['drain', 'n2', '--reason', 'a test', ...at('n2')]),
    'troupe: there is no node n2; the nodes are n1\n',
  );
  await chat('n1', key);
  await startNode('n2');

  const killed = running.get('n1')?.command as Command;
  killed.child.kill('SIGKILL');
  await killed.ended;
  running.delete('n1');
  await chat('n2', key);
  // The file of the killed node is still there.
  assert.equal(
    connection('n1').nodes.map(({ name }) => name),
    ['n1'],
  );
  while ((await liveNodes('n1')).length > 1) await new Promise((resolve) => setTimeout(resolve, 300));
  const { deposits, charges, held } = await toldJson<{ deposits: string; charges: string; held: string }>([
    ...['accounts', 'show', 'acct_first', ...at('n1')],
  ]);
  assert.equal([deposits, held], ['25', '0']);
  assert.ok(charged > 0);
  assert.ok(Math.abs(Number(charges) - charged) < 1e-12, `${charges} charged, ${charged} told`);
});

test.run();
