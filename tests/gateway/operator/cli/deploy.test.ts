/** Every command of the Dockerfile, the compose file and the systemd unit runs here; only paths and ports are replaced. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import type { ClusterConfig } from '../../../../gateway/terms/config/config.ts';
import { bounded } from '../../../support/bounded.ts';
import { openDatabase, type TestDatabase } from '../../../support/postgres/database.ts';
import { ROOT } from '../../../support/sources.ts';
import { type Command, troupe } from './command.ts';

const it = bounded(test, 280_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-deploy-'));
const fileOf = (name: string): string => readFileSync(join(ROOT, 'deploy', name), 'utf8');
const compose = parse(fileOf('compose.yaml'), { merge: true }) as {
  readonly services: Readonly<
    Record<string, { readonly command?: string | readonly string[]; readonly environment?: object }>
  >;
};
const databases: TestDatabase[] = [];
const running: Command[] = [];

test.after(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL');
    await ended;
  }
  for (const database of databases) await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** A command line with the paths and the public port of this test. */
function here(line: string, replaced: Readonly<Record<string, string>>): readonly string[] {
  return line.split(' ').map((word) => replaced[word] ?? word);
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });
}

async function ends(command: Command): Promise<void> {
  command.child.kill('SIGTERM');
  const { code, err } = await command.ended;
  assert.is(code, 0, err);
}

it('the command of the unit and of the image starts a cluster that drains on SIGTERM', async () => {
  const unit = /^ExecStart=\/usr\/bin\/env troupe (.*)$/m.exec(fileOf('troupe.service'))?.[1] ?? '';
  const image = JSON.parse(/^CMD (\[.*\])$/m.exec(fileOf('Dockerfile'))?.[1] ?? '[]') as readonly string[];
  assert.match(fileOf('Dockerfile'), /^ENTRYPOINT \["troupe"\]$/m);
  assert.equal(
    unit.split(' ').filter((word) => !/^\/|^--config$/.test(word)),
    image.filter((word) => !/^\/|^--host$|^0\.0\.0\.0$/.test(word)),
  );
  const config = join(folder, 'one.json');
  const nodes = [{ name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }];
  writeFileSync(
    config,
    JSON.stringify({ nodes, listen: { host: '127.0.0.1', port: 0 }, demo: { simulators: 1, traffic: false } }),
  );
  const paths = { '/etc/troupe/cluster.json': config, '/var/lib/troupe': join(folder, 'up') };
  const command = troupe([...here(unit, paths), '--host', '0.0.0.0', '--log-level', 'warn']);
  running.push(command);
  await command.until(/Ctrl-C drains/);
  // As the port of a container is reached: not over loopback.
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal);
  const { base_url } = JSON.parse(readFileSync(join(folder, 'up', 'connection.json'), 'utf8')) as { base_url: string };
  const url = base_url.replace('127.0.0.1', outside?.address ?? '127.0.0.1');
  assert.is((await fetch(`${url}/models`)).status, 200);
  assert.match(command.out(), /Troupe is up/);
  await ends(command);
  // A node logs that it serves, drains and left as `info`.
  assert.not.match(readFileSync(join(folder, 'up', 'logs', 'n1.log'), 'utf8'), /"level":"info"/);
});

/** Runs the script of the compose file twice, as two starts do: one account, one deposit, one key that the API accepts. */
async function firstKey(data: string): Promise<void> {
  const [script = ''] = compose.services['first-key']?.command ?? [];
  const bin = join(ROOT, 'bin', 'troupe.mjs');
  const local = script
    .replaceAll('/data', data)
    .replaceAll(
      /^( *)(.*)$/gm,
      (_, indent, line) => indent + line.replaceAll('troupe ', `'${process.execPath}' '${bin}' `),
    );
  const run = () => execFileSync('sh', ['-ec', local], { encoding: 'utf8' });
  const first = run();
  const again = run();
  const [key = ''] = /sk-gw-v1-[0-9a-f]{64}/.exec(first) ?? [];
  assert.match(first, /Try it: curl/);
  assert.not.match(again, /sk-gw-v1-[0-9a-f]{64}/);
  const { base_url } = JSON.parse(readFileSync(join(data, 'connection.json'), 'utf8')) as { base_url: string };
  const answer = await fetch(`${base_url}/credits`, { headers: { authorization: `Bearer ${key}` } });
  assert.is(answer.status, 200, first);
  assert.match(await answer.text(), /"total_credits":25\b/);
}

it('the nodes of the compose file serve on PostgreSQL, and Prometheus reads their metrics', async () => {
  databases.push(await openDatabase(), await openDatabase());
  const variables = Object.keys(compose.services.n1?.environment ?? {});
  assert.equal(variables, ['TROUPE_POSTGRES_URL', 'TROUPE_KEYS_URL']);
  variables.forEach((name, at) => {
    process.env[name] = databases[at]?.url;
  });
  const declared = JSON.parse(fileOf('cluster.json')) as Pick<ClusterConfig, 'nodes' | 'store'>;
  const nodes = await Promise.all(
    declared.nodes.map(async (node) => ({
      ...node,
      grpc: `127.0.0.1:${await freePort()}`,
      operator: `127.0.0.1:${await freePort()}`,
    })),
  );
  const config = join(folder, 'cluster.json');
  writeFileSync(config, JSON.stringify({ ...declared, nodes }));
  const data = join(folder, 'data');
  const services = Object.entries(compose.services).filter(([, { command }]) => typeof command === 'string');
  assert.equal(
    services.map(([name]) => name),
    declared.nodes.map(({ name }) => name),
  );
  const any = '127.0.0.1:0';
  const paths = { '/etc/troupe/cluster.json': config, '/data': data, '0.0.0.0:8080': any, '0.0.0.0:8081': any };
  const commands = services.map(([, { command }]) => troupe(here(String(command), paths)));
  running.push(...commands);
  for (const command of commands) {
    await command.until(/"url":"http/);
    const line =
      command
        .out()
        .split('\n')
        .find((one) => one.startsWith('{"node":')) ?? '{}';
    const { url } = JSON.parse(line) as { readonly url: string };
    assert.is((await fetch(`${url}/api/v1/ready`)).status, 200, command.out());
  }
  await firstKey(data);
  const { scrape_configs: scrapes, rule_files: rules } = parse(fileOf('monitoring/prometheus.yml'));
  assert.equal(
    scrapes[0].static_configs[0].targets,
    declared.nodes.map(({ operator }) => operator),
  );
  assert.equal(rules, ['alerts.yml']);
  const token = readFileSync(scrapes[0].authorization.credentials_file.replace('/data', data), 'utf8').trim();
  for (const { operator } of nodes) {
    const answer = await fetch(`http://${operator}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    assert.match(await answer.text(), /\ntroupe_ready 1\n/);
  }
  await Promise.all(commands.map(ends));
});

test.run();
