import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../../gateway/operator/config/config-error.ts';
import { type ConnectionInfo, readConnection } from '../../../../gateway/operator/launcher/connection.ts';
import { addLoneNode, type LoneNode, removeLoneNode } from '../../../../gateway/operator/launcher/lone-node.ts';
import { isAlive } from '../../../../gateway/operator/launcher/process-state.ts';
import { bounded } from '../../../support/bounded.ts';
import { failureOf } from '../../../support/failure-of.ts';

const it = bounded(test, 5_000);
const NO_PROCESS = 2_147_483_646;
/** The user id of `nobody` on most systems; that it owns none of the files is enough. */
const OTHER_USER = 65_534;

async function inFolder(
  run: (file: string, node: (name: string, pid: number) => LoneNode) => Promise<void>,
): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'troupe-lone-'));
  const node = (name: string, pid: number): LoneNode => ({
    data,
    node: { name, pid, grpc: `127.0.0.1:${name}`, operator_url: `http://${name}` },
    baseUrl: `http://api-${name}`,
    operatorToken: 'token',
  });
  try {
    await run(join(data, 'connection.json'), node);
  } finally {
    rmSync(data, { recursive: true });
  }
}

const read = (file: string): ConnectionInfo => JSON.parse(readFileSync(file, 'utf8')) as ConnectionInfo;
const names = (file: string): readonly string[] => read(file).nodes.map(({ name }) => name);

it('nodes without a launcher share the file, and the last one removes it', () =>
  inFolder(async (file, node) => {
    // The parent of this process lives as long as the test.
    const [first, second] = [node('n1', process.ppid), node('n2', process.pid)];
    await addLoneNode(first);
    assert.is(statSync(file).mode & 0o777, 0o600);
    await addLoneNode(second);
    assert.equal(names(file), ['n1', 'n2']);
    assert.equal([read(file).base_url, read(file).operator_url], ['http://api-n2', 'http://n1']);
    removeLoneNode(second);
    assert.equal(names(file), ['n1']);
    assert.is(read(file).base_url, null);
    removeLoneNode(first);
    assert.is(existsSync(file), false);
    removeLoneNode(first);
  }));

it('entries of dead processes, of the same name, and of a damaged file are replaced', () =>
  inFolder(async (file, node) => {
    await addLoneNode(node('n1', NO_PROCESS));
    await addLoneNode(node('n2', process.ppid));
    assert.equal(names(file), ['n2']);
    await addLoneNode(node('n2', process.pid));
    assert.equal(
      read(file).nodes.map(({ pid }) => pid),
      [process.pid],
    );
    writeFileSync(file, '{');
    await addLoneNode(node('n3', process.pid));
    assert.equal(names(file), ['n3']);
  }));

it('an unreadable file is told as such, and not as a cluster that does not run', () =>
  inFolder(async (file, node) => {
    await addLoneNode(node('n1', process.pid));
    const data = dirname(file);
    assert.is((await readConnection(data))?.nodes.length, 1);
    assert.is(await readConnection(join(data, 'none')), null);
    // Root reads everything: it becomes another user for this.
    const root = process.getuid?.() === 0;
    if (root) process.seteuid?.(OTHER_USER);
    else chmodSync(file, 0);
    const failure = await failureOf(readConnection(data)).finally(() => root && process.seteuid?.(0));
    assert.instance(failure, ConfigError);
    assert.match(
      (failure as Error).message,
      /connection\.json may be read by its owner only \(EACCES\); run the command as/,
    );
  }));

it('a process of another user is alive, and one that has ended is not', () => {
  assert.ok(isAlive(process.pid));
  assert.ok(isAlive(1));
  assert.not(isAlive(NO_PROCESS));
});

test.run();
