/**
 * The tests of `up.test.ts` that start its data folder again: what the first start left is there, and of the ports of a
 * cluster that serves other machines only that of the API can be reached. (rule N36)
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { ConnectionInfo } from '../../../../gateway/operator/launcher/connection.ts';
import { Authority } from '../../../support/authority.ts';
import { connects, listeningSockets, outerAddresses } from '../../../support/listening-sockets.ts';
import { answer, type Command } from './command.ts';
import { toldJson } from './in-process.ts';
import { chatAt, type It, pause, type RunningCluster } from './operator-tests.ts';

interface StoppedCluster extends RunningCluster {
  /** The folder that holds the data folder. */
  readonly folder: string;
  /** Resolves once the cluster serves. */
  readonly up: (...options: readonly string[]) => Promise<Command>;
}

/** One node less than before: the others take its shards. */
const NAMES = ['n1', 'n2'];
const portOf = (address: string): number => Number(/:(\d+)/.exec(address.replace(/^https?:\/\//, ''))?.[1]);

/** A configuration with certificates, since the whole command line must work over them, and the API on every interface. */
async function everyInterface(folder: string): Promise<string> {
  const authority = await Authority.make();
  const nodes = await Promise.all(
    NAMES.map(async (name) => {
      const { ca, certificate, key } = await authority.issue({ names: [name] });
      const files = { ca: 'ca.pem', certificate: `${name}.pem`, key: `${name}.key` };
      writeFileSync(join(folder, files.ca), ca);
      writeFileSync(join(folder, files.certificate), certificate);
      writeFileSync(join(folder, files.key), key, { mode: 0o600 });
      return { name, grpc: '127.0.0.1:0', operator: '127.0.0.1:0', tls: files };
    }),
  );
  const file = join(folder, 'every-interface.json');
  // The key's window of a minute outlives the first start, which took more requests than a key is allowed by default.
  const rates = { keyPerMinute: 100_000 };
  writeFileSync(
    file,
    JSON.stringify({ nodes, listen: { host: '0.0.0.0', port: 0 }, demo: { simulators: 1, traffic: false }, rates }),
  );
  return file;
}

export function secondStartTests(it: It, { folder, at, connection: read, up }: StoppedCluster): void {
  let cluster: Command;
  let connection: ConnectionInfo;

  it('a second start resumes with the same keys and every account unchanged', async () => {
    const kept = JSON.parse(readFileSync(join(folder, 'data', 'secrets', 'demo.json'), 'utf8')) as {
      account: string;
      api: { text: string };
    };
    cluster = await up('--config', await everyInterface(folder));
    // On a slow machine the launcher goes on before all nodes are up, and replaces one that was silent for too long.
    for (connection = read(); connection.nodes.length < NAMES.length; connection = read()) await pause();
    assert.is(connection.api_key, kept.api.text);
    const view = await toldJson<{ deposits: string; charges: string; held: string }>([
      ...['accounts', 'show', kept.account, ...at],
    ]);
    assert.is(view.deposits, '100');
    assert.is(view.held, '0');
    assert.ok(Number(view.charges) > 0);
    await chatAt(connection.base_url, kept.api.text);
  });

  it('with the API on every interface, links and operator ports stay on loopback', async () => {
    const api = portOf(String(connection.base_url));
    const inner = connection.nodes.flatMap((node) => [portOf(node.grpc), portOf(node.operator_url)]);
    assert.is(new Set(inner).size, 2 * NAMES.length);
    for (const port of [api, ...inner]) assert.is(await connects('127.0.0.1', port), true, `port ${port} on loopback`);
    for (const host of outerAddresses()) {
      assert.is(await connects(host, api), true, `the API on ${host}`);
      for (const port of inner) assert.is(await connects(host, port), false, `port ${port} on ${host}`);
    }
    const pids = [cluster.child.pid as number, ...connection.nodes.map((node) => node.pid)];
    const sockets = listeningSockets(pids);
    if (sockets === null) return;
    assert.ok(sockets.length >= inner.length + 1, JSON.stringify(sockets));
    const outer = sockets.filter(({ host }) => !host.startsWith('127.'));
    assert.equal(
      outer.map(({ port }) => port),
      [api],
      JSON.stringify(outer),
    );
  });

  it('the command line works over TLS, and the demo account was opened over it', async () => {
    const view = await answer<{ nodes: { name: string; live: boolean }[] }>(['ps', ...at]);
    const live = view.nodes.filter((node) => node.live);
    assert.equal(live.map((node) => node.name).sort(), NAMES);
    assert.ok(connection.api_key !== null);
  });

  it('SIGTERM ends the cluster as Ctrl-C does', async () => {
    cluster.child.kill('SIGTERM');
    assert.is((await cluster.ended).code, 0);
  });
}
