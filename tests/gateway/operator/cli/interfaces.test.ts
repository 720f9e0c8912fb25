/** The ports of a running cluster that other machines can reach. (spec: reliability, attack 80) */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConnectionInfo } from '../../../../gateway/operator/launcher/connection.ts';
import { Authority } from '../../../support/authority.ts';
import { bounded } from '../../../support/bounded.ts';
import { connects, listeningSockets, outerAddresses } from '../../../support/listening-sockets.ts';
import { answer, type Command, troupe } from './command.ts';

const it = bounded(test, 120_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-interfaces-'));
const data = join(folder, 'data');
const names = ['n1', 'n2', 'n3'];
let cluster: Command;
let connection: ConnectionInfo;

/** Uses certificates as well: the whole command line must work over them. */
test.before(async () => {
  const authority = await Authority.make();
  const nodes = await Promise.all(
    names.map(async (name) => {
      const { ca, certificate, key } = await authority.issue({ names: [name] });
      const files = { ca: 'ca.pem', certificate: `${name}.pem`, key: `${name}.key` };
      writeFileSync(join(folder, files.ca), ca);
      writeFileSync(join(folder, files.certificate), certificate);
      writeFileSync(join(folder, files.key), key, { mode: 0o600 });
      return { name, grpc: '127.0.0.1:0', operator: '127.0.0.1:0', tls: files };
    }),
  );
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ nodes, listen: { host: '0.0.0.0', port: 0 } }));
  cluster = troupe(['up', '--config', file, '--data', data]);
  await cluster.until(/Ctrl-C drains/);
  if (!/Ctrl-C drains/.test(cluster.out())) throw new Error((await cluster.ended).err);
  // On a slow machine the launcher goes on before all nodes are up, and replaces one that was silent for too long.
  do connection = JSON.parse(readFileSync(join(data, 'connection.json'), 'utf8')) as ConnectionInfo;
  while (connection.nodes.length < names.length && (await pause()));
});

const pause = (): Promise<true> => new Promise((resolve) => setTimeout(() => resolve(true), 50));

test.after(async () => {
  cluster.child.kill('SIGINT');
  await cluster.ended;
  rmSync(folder, { recursive: true, force: true });
});

const portOf = (address: string): number => Number(/:(\d+)/.exec(address.replace(/^https?:\/\//, ''))?.[1]);

it('with the API on every interface, links and operator ports stay on loopback', async () => {
  const api = portOf(String(connection.base_url));
  const inner = connection.nodes.flatMap((node) => [portOf(node.grpc), portOf(node.operator_url)]);
  assert.is(new Set(inner).size, 6);
  for (const port of [api, ...inner]) assert.is(await connects('127.0.0.1', port), true, `port ${port} on loopback`);
  for (const host of outerAddresses()) {
    assert.is(await connects(host, api), true, `the API on ${host}`);
    for (const port of inner) assert.is(await connects(host, port), false, `port ${port} on ${host}`);
  }
  const pids = [cluster.child.pid as number, ...connection.nodes.map((node) => node.pid)];
  const sockets = listeningSockets(pids);
  if (sockets === null) return;
  assert.ok(sockets.length >= 7, JSON.stringify(sockets));
  const outer = sockets.filter(({ host }) => !host.startsWith('127.'));
  assert.equal(
    outer.map(({ port }) => port),
    [api],
    JSON.stringify(outer),
  );
});

it('the command line works over TLS, and the demo account was opened over it', async () => {
  const view = await answer<{ nodes: { name: string; live: boolean }[] }>(['ps', '--data', data]);
  const live = view.nodes.filter((node) => node.live);
  assert.equal(live.map((node) => node.name).sort(), names);
  assert.ok(connection.api_key !== null);
});

test.run();
