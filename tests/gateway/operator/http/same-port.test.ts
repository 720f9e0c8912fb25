import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openAtSamePort } from '../../../../gateway/operator/http/same-port.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
let data: string;

test.before.each(async () => {
  data = await mkdtemp(join(tmpdir(), 'troupe-port-'));
});
test.after.each(() => rm(data, { recursive: true, force: true }));

function listen(port: number): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server: Server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const at = server.address() as { readonly port: number };
      const close = (): Promise<void> => new Promise((closed) => void server.close(() => closed()));
      resolve({ url: `http://127.0.0.1:${at.port}`, close });
    });
  });
}

it('a restart serves at the port of the last start, and at another one while that is taken', async () => {
  const first = await openAtSamePort({ data, node: 'n1', port: 0 }, listen);
  await first.close();
  const second = await openAtSamePort({ data, node: 'n1', port: 0 }, listen);
  assert.is(second.url, first.url);
  const beside = await openAtSamePort({ data, node: 'n1', port: 0 }, listen);
  assert.is.not(beside.url, first.url);
  await second.close();
  await beside.close();
  const third = await openAtSamePort({ data, node: 'n1', port: 0 }, listen);
  assert.is(third.url, beside.url);
  await third.close();
});

it('nodes have a port each, a configured port is used as it is, and a damaged file is ignored', async () => {
  const one = await openAtSamePort({ data, node: 'n1', port: 0 }, listen);
  const two = await openAtSamePort({ data, node: 'n2', port: 0 }, listen);
  assert.is.not(one.url, two.url);
  await Promise.all([one.close(), two.close()]);
  const fixed = await openAtSamePort({ data, node: 'n1', port: Number(new URL(two.url).port) }, listen);
  assert.is(fixed.url, two.url);
  await fixed.close();
  await mkdir(join(data, 'ports'), { recursive: true });
  for (const text of ['', '0\n', '99999\n', 'x']) {
    await writeFile(join(data, 'ports', 'n1'), text);
    await (await openAtSamePort({ data, node: 'n1', port: 0 }, listen)).close();
  }
});

it('an address that cannot be used is an error, remembered port or not', async () => {
  const refused = Object.assign(new Error('no such address'), { code: 'EADDRNOTAVAIL' });
  await (await openAtSamePort({ data, node: 'n1', port: 0 }, listen)).close();
  const error = await openAtSamePort({ data, node: 'n1', port: 0 }, () => Promise.reject(refused)).catch((one) => one);
  assert.is(error, refused);
});

test.run();
