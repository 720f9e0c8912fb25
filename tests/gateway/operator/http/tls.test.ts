import { request } from 'node:https';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Identity, systemClock } from '../../../../actors/runtime/index.ts';
import { dialSocket } from '../../../../gateway/http/dial-socket.ts';
import { feedRoute } from '../../../../gateway/operator/http/feed.ts';
import { operatorRoute } from '../../../../gateway/operator/http/operator-route.ts';
import { type OperatorServer, openOperatorServer } from '../../../../gateway/operator/http/server.ts';
import { sessionRoutes } from '../../../../gateway/operator/http/session-routes.ts';
import { dialled } from '../../../../gateway/outbound/mutual-tls.ts';
import { Authority } from '../../../support/authority.ts';
import { bounded } from '../../../support/bounded.ts';
import { clusterOf, SESSIONS, TOKEN, TOKENS } from '../port.ts';

/** What of the operator port a certificate opens, and what a token needs beside it (rule N32). */
const it = bounded(test);
const names = ['n1', 'n2'];
const ours = await Authority.make();
const theirs = await Authority.make('another authority');
const [n1, n2] = [await ours.issue({ names: ['n1'] }), await ours.issue({ names: ['n2'] })];
let server: OperatorServer;

test.before(async () => {
  const cluster = clusterOf({ operator: { watch: () => () => {} } });
  const read = operatorRoute({
    method: 'GET',
    path: '/api/x',
    policy: 'viewer',
    summary: '',
    answer: () => ({ x: 1 }),
  });
  const health = operatorRoute({ method: 'GET', path: '/health', policy: 'open', summary: '', answer: () => ({}) });
  const session = sessionRoutes({ tokens: TOKENS, sessions: SESSIONS, oidc: null, clusterName: 'here' });
  server = await openOperatorServer('127.0.0.1', 0, {
    cluster: () => cluster,
    routes: [read, health, ...session, feedRoute(systemClock)],
    tokens: TOKENS,
    sessions: SESSIONS,
    tls: { ...n1, names },
    clock: systemClock,
    log: () => {},
  });
});
test.after(() => server.close());

interface Asked {
  readonly path?: string;
  readonly identity?: Identity | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Status and body of an answer, or the code of the error. */
function answerTo({ path = '/api/x', identity = null, headers, body }: Asked): Promise<string> {
  const tls = identity === null ? { ca: ours.certificate } : dialled({ ...identity, ca: ours.certificate, names });
  return new Promise((resolve) => {
    const sent = request(
      `${server.url}${path}`,
      {
        ...tls,
        checkServerIdentity: () => undefined,
        agent: false,
        method: body === undefined ? 'GET' : 'POST',
        headers: headers ?? { authorization: `Bearer ${TOKEN}` },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('end', () => resolve(`${response.statusCode} ${text.trim()}`));
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    sent.end(body);
  });
}

it('a token counts beside the certificate of a node or of an operator, and beside no other', async () => {
  assert.match(server.url, /^https:/);
  assert.is(await answerTo({ identity: n2 }), '200 {"x":1}');
  assert.is(await answerTo({ identity: await ours.issue({ names: ['operator'] }) }), '200 {"x":1}');
  const refused = /^403 .*the token needs a certificate of this cluster beside it/;
  assert.match(await answerTo({ identity: null }), refused);
  assert.match(await answerTo({ identity: await ours.issue({ names: ['unknown'] }) }), refused);
  assert.match(await answerTo({ identity: await theirs.issue({ names: ['n2'] }) }), refused);
  const expired = { names: ['n2'], from: new Date(0), until: new Date(Date.now() - 1_000) };
  assert.match(await answerTo({ identity: await ours.issue(expired) }), refused);
  assert.match(await answerTo({ identity: n2, headers: { authorization: 'Bearer guess' } }), /^401 /);
});

it('a browser without a certificate has its session, and no way to one by a token', async () => {
  assert.is(await answerTo({ path: '/health', headers: {} }), '200 {}');
  const cookie = SESSIONS.open('viewer', 'ada', true).split(';')[0] as string;
  assert.is(await answerTo({ headers: { cookie } }), '200 {"x":1}');
  const body = JSON.stringify({ token: TOKEN });
  assert.match(await answerTo({ path: '/api/session', headers: {}, body }), /^403 /);
  assert.is(await answerTo({ path: '/api/session', identity: n2, headers: {}, body }), '200 {"role":"operator"}');
});

it('the feed is reached over TLS, and only a node of the cluster serves it', async () => {
  const url = `${server.url.replace(/^http/, 'ws')}/api/feed`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const ended = (tls: Parameters<typeof dialSocket>[1]['tls'], sent = headers) => {
    const stop = new AbortController();
    return dialSocket(url, { headers: sent, tls }).run(
      stop.signal,
      () => stop.abort(),
      () => {},
    );
  };
  assert.is(await ended({ ...n2, names }), 'stopped');
  assert.is(await ended({ ...n2, names }, { authorization: 'Bearer guess' }), 'refused');
  assert.is(await ended({ ...n2, names: ['n2'] }), 'lost');
  assert.is(await ended({ ...n2, ca: theirs.certificate, names }), 'lost');
});

test.run();
