import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClusterView } from '../../../../../actors/runtime/index.ts';
import type { ActorView } from '../../../../../gateway/operator/api/actor-view.ts';
import type { ListedGeneration } from '../../../../../gateway/operator/api/generations.ts';
import type { ConnectionInfo } from '../../../../../gateway/operator/launcher/connection.ts';
import { bounded } from '../../../../support/bounded.ts';
import { StreamJudge } from '../../../../support/stream/stream-judge.ts';
import { answer, type Command, troupe } from '../command.ts';
import { deathTests } from '../death-tests.ts';
import { failureOf, told, toldJson } from '../in-process.ts';
import { type Chat, chatAt, operatorTests, pause } from '../operator-tests.ts';
import { secondStartTests } from '../second-start-tests.ts';
import { openPortSockets } from '../through-the-port.ts';

const it = bounded(test, 120_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-up-'));
const data = join(folder, 'data');
const at = ['--data', data];
let cluster: Command;

test.after(async () => {
  cluster.child.kill('SIGKILL');
  await cluster.ended;
  rmSync(folder, { recursive: true, force: true });
});

const connection = (): ConnectionInfo =>
  JSON.parse(readFileSync(join(data, 'connection.json'), 'utf8')) as ConnectionInfo;

async function up(...options: readonly string[]): Promise<Command> {
  cluster = troupe(['up', ...options, ...at]);
  await cluster.until(/Ctrl-C drains/);
  if (!/Ctrl-C drains/.test(cluster.out())) throw new Error((await cluster.ended).err);
  return cluster;
}

function retryable(error: Error): null {
  if (!error.message.startsWith('503 ')) throw error;
  return null;
}

const chat = (key: string, model?: string): Promise<Chat> => chatAt(connection().base_url, key, model);

it('up starts three nodes, and its banner holds a request that is answered as pasted', async () => {
  // These tests send more requests per minute than one key allows by default.
  writeFileSync(join(folder, 'rates.json'), '{"rates": {"keyPerMinute": 100000}}');
  await up('--port', '0', '--config', join(folder, 'rates.json'));
  const { base_url, api_key, management_key, operator_token, operator_url, nodes } = connection();
  const progress = cluster.out().slice(0, cluster.out().indexOf('\n\n')).split('\n');
  assert.equal(progress.slice(0, 2), [
    'starting the simulated providers (5)',
    `starting n1, n2, n3 with their data in ${data}`,
  ]);
  const counts = ['1 of 3', '2 of 3', '3 of 3', 'opening the demo account'];
  assert.equal(
    progress.slice(2).map((line) => line.replace(/^n\d serves, /, '')),
    counts,
  );
  assert.is(statSync(join(data, 'connection.json')).mode & 0o777, 0o600);
  assert.equal(
    nodes.map(({ name }) => name),
    ['n1', 'n2', 'n3'],
  );
  assert.match(String(base_url), /^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
  assert.match(String(api_key), /^sk-gw-v1-[0-9a-f]{64}$/);
  assert.match(String(management_key), /^sk-gw-v1-[0-9a-f]{64}$/);
  assert.match(operator_token, /^[0-9a-f]{64}$/);
  assert.is(operator_url, nodes[0]?.operator_url);
  const curl =
    /curl (\S+) \\\n\s+-H 'Authorization: Bearer (\S+)' \\\n\s+-H 'Content-Type: application\/json' \\\n\s+-d '(.+)'\n/;
  const [, url = '', key = '', body = ''] = curl.exec(cluster.out()) ?? [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  assert.is(response.status, 200);
  const { choices, usage } = (await response.json()) as Chat;
  assert.is(choices[0]?.message.content, 'Say hello');
  assert.ok(usage.cost > 0, String(usage.cost));
  assert.ok(cluster.out().includes(`export OPENAI_BASE_URL=${base_url}\n  export OPENAI_API_KEY=${api_key}\n`));
});

function modesBelow(path: string): readonly (readonly [string, number])[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inner = join(path, entry.name);
    const own = [inner, statSync(inner).mode & 0o777] as const;
    return entry.isDirectory() ? [own, ...modesBelow(inner)] : [own];
  });
}

it('no other user can read the database, its log, backups, marks or logs', async () => {
  const copy = join(data, 'logs', 'one.db');
  await answer(['backup', copy, ...at]);
  const modes = new Map([[data, statSync(data).mode & 0o777] as const, ...modesBelow(data)]);
  const names = ['troupe.db', 'troupe.db-wal', 'cluster.json', 'logs/n1.log', 'marks/n1.json', 'logs/one.db', 'logs'];
  for (const name of names) assert.ok(modes.has(join(data, name)), name);
  const open = [...modes].filter(([, mode]) => (mode & 0o077) !== 0);
  assert.equal(open, []);
});

it('ps, inspect and why show the cluster, its actors and the reason of their state', async () => {
  const { nodes } = connection();
  const view = await toldJson<ClusterView>(['ps', ...at]);
  assert.equal(
    view.nodes
      .filter(({ live }) => live)
      .map(({ pid }) => pid)
      .sort(),
    nodes.map(({ pid }) => pid).sort(),
  );
  assert.is(
    view.nodes.reduce((sum, node) => sum + node.shards, 0),
    view.shardCount,
  );
  const { account } = JSON.parse(readFileSync(join(data, 'secrets', 'demo.json'), 'utf8')) as { account: string };
  const seen = await toldJson<ActorView>(['inspect', `account:${account}`, ...at]);
  assert.is(seen.state, 'open');
  assert.match(await told(['why', `account:${account}`, ...at]), /^Balance \d/);
  for (const verb of ['retry', 'skip']) {
    const nothing = await failureOf([verb, `account:${account}`, 'none', '--reason', 'a test', ...at]);
    assert.match(nothing, /^troupe: account:.* has no dead letter none; `troupe inspect account:/);
  }
  const absent = await troupe(['why', 'account:nobody', ...at]).ended;
  assert.is(absent.code, 1);
  assert.is(absent.err, 'troupe: there is no account nobody; `troupe accounts list` shows the accounts\n');
});

it('an account that is created, funded and given a key by the command line can spend, until its key is revoked', async () => {
  const { id } = await toldJson<{ id: string }>(['accounts', 'create', 'Ada', ...at]);
  await toldJson(['accounts', 'deposit', id, '5', '--id', 'dep_1', ...at]);
  const again = await toldJson<{ repeated: boolean; balance: string }>([
    'accounts',
    'deposit',
    id,
    '5',
    '--id',
    'dep_1',
    ...at,
  ]);
  assert.equal([again.repeated, again.balance], [true, '5']);
  const watching = troupe(['watch', `account:${id}`, ...at]);
  const made = await toldJson<{ secret: string; key: string }>([
    'keys',
    'create',
    id,
    '--name',
    'laptop',
    '--limit',
    '2',
    ...at,
  ]);
  const reply = await chat(made.secret);
  const view = await toldJson<{ balance: string; charges: string }>(['accounts', 'show', id, ...at]);
  assert.is(Number(view.charges), reply.usage.cost);
  const found = await toldJson<{ key: string; name: string; status: string; limit: string; usage: string }[]>([
    'keys',
    'list',
    id,
    ...at,
  ]);
  assert.equal(
    found.map(({ key, name, status, limit, usage }) => [key, name, status, limit, usage]),
    [[made.key, 'laptop', 'active', '2', view.charges]],
  );
  assert.match(await told(['keys', 'list', id, ...at]), /^KEY .* LIMIT USD +SPENT USD +LEFT USD /);
  // The watch command prints nothing until a transition occurs.
  while (!/hold\.settle/.test(watching.out())) {
    await chat(made.secret);
    await pause(20);
  }
  await toldJson(['keys', 'revoke', made.key, '--reason', 'a test', ...at]);
  const refused = await chat(made.secret).catch((error: Error) => error.message);
  assert.match(String(refused), /^401 /);
  watching.child.kill('SIGINT');
  const watched = await watching.ended;
  assert.is(watched.code, 0);
  assert.match(
    watched.out,
    new RegExp(`^\\d{4}-[-\\dT:.]+Z  n\\d epoch \\d+  account:${id} #\\d+  hold\\.settle`, 'm'),
  );
});

it('a name leads an operator to the account, to its last refused request and the reason, and to a refund', async () => {
  const { id } = await toldJson<{ id: string }>(['accounts', 'create', 'Grace Hopper', ...at]);
  await told(['accounts', 'deposit', id, '5', ...at]);
  const { secret } = await toldJson<{ secret: string }>(['keys', 'create', id, ...at]);
  const { usage } = await chat(secret);

  assert.match(
    await told(['accounts', 'list', '--name', 'grace h', ...at]),
    new RegExp(`^ACCOUNT .*\n${id}  Grace Hopper  active `),
  );
  assert.not.match(await told(['accounts', 'list', '--name', 'grace h', ...at]), /\n.*\n.*\n/);
  const listed = JSON.parse(
    await told(['accounts', 'generations', id, ...at, '--json']),
  ) as readonly ListedGeneration[];
  const charged = listed.find(({ status }) => status === 'completed') as ListedGeneration;
  assert.match(await told(['accounts', 'generations', id, ...at]), new RegExp(`${charged.id} .* completed +sim/fast`));
  assert.match(
    await told(['generation', charged.id, ...at]),
    new RegExp(`^{\n {2}"account": "${id}",\n {2}"id": "gen-`),
  );

  const refusal = await chat(secret, 'sim/nothing').catch((error: Error) => error.message);
  assert.match(String(refusal), /^404 /);
  // Nodes write down what they refused within seconds.
  let refused = await told(['accounts', 'refused', id, ...at]);
  while (!refused.includes('sim/nothing')) {
    await pause();
    refused = await told(['accounts', 'refused', id, ...at]);
  }
  assert.match(
    refused,
    /^AT .*\n\S+ {2}404 +not_found +POST \/api\/v1\/chat\/completions {2}gen-\S+ {2}n\d +.*sim\/nothing/,
  );

  const refund = ['accounts', 'refund', charged.id, '--reason', 'a bad answer', ...at];
  assert.match(
    await told(refund),
    /^account .*\nadjustment +refund-gen-.*\namount .*\nreason +a bad answer\nbalance +5 USD\n$/,
  );
  assert.match(await told(refund), /repeated +true/);
  await told(['accounts', 'adjust', id, '0.5', '--take', '--reason', 'a fee', ...at]);
  const ledger = await told(['accounts', 'ledger', id, '--csv', ...at]);
  const [head, ...entries] = ledger
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','));
  assert.is(head?.join(), 'entry,at,type,from,to,amount_usd,balance_usd,key,reference');
  assert.equal(
    entries.map(([, , type, , , , balance]) => [type, balance]),
    [
      ['deposit', '5'],
      ['charge', String(5 - usage.cost)],
      ['adjustment', '5'],
      ['adjustment', '4.5'],
    ],
  );
  assert.is((await told(['accounts', 'ledger', id, '--limit', '2', ...at])).trimEnd().split('\n').length, 3);
});

it('an operator suspends and resumes an account, disables and enables a key, and changes its limit', async () => {
  const { id } = await toldJson<{ id: string }>(['accounts', 'create', 'Alan', ...at]);
  await told(['accounts', 'deposit', id, '5', ...at]);
  const {
    key,
    id: bare,
    secret,
  } = await toldJson<{ key: string; id: string; secret: string }>(['keys', 'create', id, ...at]);
  assert.is(key, `key:${id}/${bare}`);
  assert.match(secret, /^sk-gw-v1-[0-9a-f]{64}$/);
  const short = key.replace('key:', '');
  const status = (): Promise<string> =>
    chat(secret).then(
      () => '200',
      (error: Error) => error.message.slice(0, 3),
    );
  assert.is(await status(), '200');
  await told(['accounts', 'suspend', id, '--reason', 'a test', ...at]);
  assert.is(await status(), '401');
  await told(['accounts', 'resume', id, '--reason', 'a test', ...at]);
  assert.match(await told(['keys', 'disable', short, '--reason', 'a test', ...at]), /status +disabled/);
  assert.is(await status(), '401');
  await told(['keys', 'enable', short, '--reason', 'a test', ...at]);
  assert.match(
    await told(['keys', 'limit', short, '0.000000001', '--window', 'daily', '--reason', 'a test', ...at]),
    / 0\.000000001 daily /,
  );
  assert.is(await status(), '402');
  assert.match(await told(['keys', 'limit', short, 'none', '--reason', 'a test', ...at]), / none /);
});

operatorTests(it, { at, connection });

it('the configuration of a cluster with simulated providers is read again', async () => {
  const file = join(folder, 'next.json');
  writeFileSync(file, '{"rates": {"keyPerMinute": 100000}, "videos": {"windowMs": 7200000}}');
  assert.match(await told(['reload-config', '--config', file, ...at]), /videos\.windowMs/);
});

it('after kill -9 of a node the next request is answered, and the node comes back', async () => {
  const { api_key, base_url, nodes } = connection();
  const [victim] = nodes;
  const sockets = await openPortSockets(String(base_url), String(api_key));
  for (const client of sockets.turns) await client.turn({ model: 'sim/fast', input: 'hello' });
  await sockets.upload();
  process.kill(victim?.pid ?? 0, 'SIGKILL');
  for (let i = 0; i < 3; i++) await sockets.upload();
  const started = performance.now();
  // A request on its way through the dead node may be refused with retry advice; none stays unanswered.
  while (!(await chat(String(api_key)).catch(retryable))) await pause(10);
  const answeredMs = performance.now() - started;
  process.stdout.write(`answered ${Math.round(answeredMs)} ms after the kill\n`);
  await sockets.upload();
  assert.ok(sockets.stored.length >= 2);
  await sockets.followed();
  const lost = sockets.followers.filter(({ codes }) => codes.length > 0);
  assert.ok(
    lost.length > 0 && lost.length < sockets.followers.length,
    `${lost.length} sockets were on the killed node`,
  );
  assert.ok(lost.every(({ codes }) => codes[0] === 1006));
  sockets.close();
  for (let i = 0; i < 6; i++) await chat(String(api_key));
  while (connection().nodes.length < 3 || connection().nodes[0]?.pid === victim?.pid) {
    await pause(50);
  }
  const log = readFileSync(join(data, 'logs', 'launcher.log'), 'utf8')
    .trim()
    .split('\n');
  const entries = log.map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const { level, time, event } of entries) {
    assert.match(`${level} ${time} ${event}`, /^info \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [a-z-]+(\.[a-z-]+)*$/);
  }
  const ends = entries.filter(({ event, pid }) => event === 'node.end' && pid === victim?.pid);
  assert.equal(
    ends.map(({ node, reason }) => [node, reason]),
    [['n1', 'ended by SIGKILL']],
  );
});

deathTests(it, { at, data, terminal: () => cluster.err() });

it('drain ends a node without failing a call, and its launcher restarts it', async () => {
  const { api_key, base_url, nodes } = connection();
  const before = nodes.find(({ name }) => name === 'n2')?.pid;
  const sockets = await openPortSockets(String(base_url), String(api_key));
  const codes = Promise.race(sockets.turns.map(({ closed }) => closed));
  await toldJson(['drain', 'n2', '--reason', 'a test', ...at]);
  const pid = () => connection().nodes.find(({ name }) => name === 'n2')?.pid;
  const drains = () => pid() === before;
  const now = () => pid() ?? before;
  while (now() === before) {
    await chat(String(api_key));
    await sockets.upload();
    await pause(drains() ? 20 : 100);
  }
  assert.is((await codes).code, 1012, 'a socket for turns ends with the restart code');
  await sockets.followed();
  const moved = sockets.followers.filter((follower) => follower.codes.length > 0);
  assert.ok(moved.length > 0 && moved.length < sockets.followers.length);
  assert.ok(moved.every((follower) => follower.codes[0] === 1012));
  sockets.close();
  assert.is(
    await failureOf(['drain', 'n9', '--reason', 'a test', ...at]),
    'troupe: there is no node n9; the nodes are n1, n2, n3\n',
  );
});

it('a second launcher on the same folder or the same port fails with one line', async () => {
  const same = await troupe(['up', '--port', '0', ...at]).ended;
  assert.is(same.code, 1);
  assert.match(
    same.err,
    /^troupe: data folder .* is in use by a running cluster \(pid \d+\); stop it, or choose another with --data DIR\n$/,
  );
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
  });
  const other = join(folder, 'other');
  const busy = await troupe(['up', '--port', String(port), '--data', other]).ended;
  taken.close();
  assert.is(busy.code, 1);
  assert.is(
    busy.err,
    `troupe: port ${port} on 127.0.0.1 is in use; choose another with --port N, or stop what uses it\n`,
  );
  assert.is(existsSync(join(other, 'launcher.lock')), false);
});

it('Ctrl-C lets an open stream run to its end, charges it, and exits 0', async () => {
  const { api_key, base_url } = connection();
  const stream = await fetch(`${base_url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/slow', stream: true, messages: [{ role: 'user', content: 'Say hello' }] }),
  });
  assert.is(stream.status, 200);
  cluster.child.kill('SIGINT');
  const text = await stream.text();
  assert.equal(StreamJudge.of(text, { dialect: 'chat' }).faults, []);
  const { code, signal } = await cluster.ended;
  assert.equal([code, signal], [0, null]);
  assert.is(existsSync(join(data, 'connection.json')), false);
  assert.match(await failureOf(['ps', ...at]), /^troupe: no cluster runs on .*; start one with `troupe up --data /);
});

secondStartTests(it, { folder, at, connection, up });

test.run();
