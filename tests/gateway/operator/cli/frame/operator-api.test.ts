import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createSilent } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { actorRoutes } from '../../../../../gateway/operator/api/actors.ts';
import { withOperator } from '../../../../../gateway/operator/cli/frame/asking.ts';
import type { OperatorApi } from '../../../../../gateway/operator/cli/frame/operator-api.ts';
import { ConfigError } from '../../../../../gateway/operator/config/config-error.ts';
import { GrpcNodes } from '../../../../cluster/grpc-nodes.ts';
import { bounded } from '../../../../support/bounded.ts';
import { openPort, TOKEN } from '../../port.ts';

const it = bounded(test);
let data: string;
test.before(async () => {
  data = await mkdtemp(join(tmpdir(), 'operator-api-'));
});
test.after(() => rm(data, { recursive: true }));

/** What a command says that calls these nodes. */
async function said(urls: readonly string[], run: (api: OperatorApi) => Promise<unknown>): Promise<string> {
  const nodes = urls.map((operator_url, at) => ({ name: `n${at + 1}`, pid: 1, grpc: '127.0.0.1:9', operator_url }));
  await writeFile(join(data, 'connection.json'), JSON.stringify({ operator_token: TOKEN, nodes }), { mode: 0o600 });
  return withOperator({ data }, run).then(
    (value) => JSON.stringify(value),
    (error: unknown) => {
      assert.instance(error, ConfigError);
      return (error as ConfigError).message;
    },
  );
}

/** A node that answers the question whether it lives, and anything else as given. */
async function standIn(answer: (request: IncomingMessage) => readonly [status: number, body: object] | 'cut') {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    if (request.url === '/health') return void response.end('{}');
    asked.push(`${request.method} ${request.url}`);
    const given = answer(request);
    if (given === 'cut') return void request.socket.destroy();
    response.writeHead(given[0]).end(JSON.stringify(given[1]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, close: () => server.close() };
}

it('a command says that the store is out of reach, not that no node answers (rule N38)', async () => {
  const nodes = new GrpcNodes();
  const { node, store } = await nodes.start('n1');
  const port = await openPort(actorRoutes);
  port.cluster = node;
  const ask = (path: string): Promise<string> => said([port.url], (api) => api.get(path));
  try {
    await nodes.until(() => node.ready, 'the node is ready');
    assert.match(await ask('/api/actors?kind=tally'), /^\{"data":\[\]/);
    assert.match(await ask('/api/actors/tally%3Anone'), /^there is no tally:none; /);
    store.cut = true;
    const outage = /^The nodes run, and the store is out of reach since 20.*Z: /;
    assert.match(await ask('/api/actors?kind=tally'), outage);
    assert.match(await ask('/api/actors/tally%3Aother'), outage);
    store.cut = false;
    assert.match(await ask('/api/actors?kind=tally'), /^\{"data":\[\]/);
  } finally {
    store.cut = false;
    port.close();
    await nodes.close();
  }
});

it('a node that refuses, is silent or starts is passed over, and the next one answers', async () => {
  const silent = createSilent().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const starting = await standIn(() => [503, { error: { code: 'starting', message: 'the node is starting' } }]);
  const serving = await standIn(() => [200, { here: true }]);
  const urls = ['http://127.0.0.1:9', `http://127.0.0.1:${port}`, starting.url, serving.url];
  assert.is(await said(urls, (api) => api.get('/api/x', { a: 'b c', none: undefined })), '{"here":true}');
  assert.equal([starting.asked, serving.asked], [['GET /api/x?a=b+c'], ['GET /api/x?a=b+c']]);
  const none = await said(urls.slice(0, 2), (api) => api.get('/api/x'));
  assert.match(
    none,
    new RegExp(`^no node answers at http://127.0.0.1:${port} .*, nor at http://127.0.0.1:9; the folder`),
  );
  for (const one of [silent, starting, serving]) one.close();
});

it('a read goes on at the next node where one leaves; a change is not repeated, and its outcome is unknown', async () => {
  const leaving = await standIn(() => 'cut');
  const serving = await standIn(() => [200, { did: 'it' }]);
  const urls = [leaving.url, serving.url];
  assert.is(await said(urls, (api) => api.get('/api/x')), '{"did":"it"}');
  assert.match(
    await said(urls, (api) => api.post('/api/x', { reason: 'x' })),
    /^node n1 did not answer .*; the change may have been made: check before you repeat it$/,
  );
  assert.equal(serving.asked, ['GET /api/x']);
  leaving.close();
  serving.close();
});

it('the words of a refusal are those of the node; a foreign token names the folder', async () => {
  const refusing = await standIn(({ url }) =>
    url === '/api/x'
      ? [409, { error: { code: 'conflict', message: 'in words' } }]
      : [401, { error: { code: 'unauthorized', message: 'the operator token is missing or wrong' } }],
  );
  assert.is(await said([refusing.url], (api) => api.get('/api/x')), 'in words');
  assert.match(
    await said([refusing.url], (api) => api.get('/api/y')),
    /^the operator token is missing or wrong: the token of .* does not belong to this cluster; copy .*secrets from one of/,
  );
  refusing.close();
});

test.run();
