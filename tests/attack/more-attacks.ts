import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { type Attack, type AttackSite, flood, hold } from './attacks.ts';
import { RANGE_ATTACKS } from './ranges.ts';

/** As many lines as a batch may have. */
const LINES = 1_000;
const NESTED = 60;
const SLOW_READ_MS = 50;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The status of one request whose answer is read to its end; 0 for a connection that was closed. */
function send(site: AttackSite, method: string, path: string, headers: object, body: string | Buffer): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(
      `${site.baseUrl}${path}`,
      { method, agent: false, headers: { authorization: `Bearer ${site.key}`, ...headers } },
      (answer) => {
        answer
          .resume()
          .on('error', () => {})
          .on('close', () => end(answer.statusCode ?? 0));
      },
    );
    const looking = setInterval(() => {
      if (!site.goesOn()) sent.destroy();
    }, SLOW_READ_MS);
    const end = (status: number): void => {
      clearInterval(looking);
      sent.destroy();
      resolve(status);
    };
    sent.on('error', () => end(0)).end(body);
  });
}

function repeated(name: string, inFlight: number, one: (site: AttackSite) => Promise<number>): Attack {
  return {
    name,
    run: async (site) => {
      const statuses = await flood(site, inFlight, () => one(site));
      return statuses.has(500) ? `answered 500 ${statuses.get(500)} times` : null;
    },
  };
}

/** WebSockets, each opened again when it ends; `speak` runs on every open one, again and again. */
function sockets(
  name: string,
  path: string,
  count: number,
  speak: (socket: WebSocket) => void,
  headers: (site: AttackSite) => object = ({ key }) => ({ authorization: `Bearer ${key}` }),
): Attack {
  return {
    name,
    run: async (site) => {
      const lane = async (): Promise<void> => {
        while (site.goesOn()) {
          const socket = new WebSocket(`${site.baseUrl.replace('http', 'ws')}${path}`, {
            headers: { ...headers(site) },
          });
          const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
          socket.on('error', () => {});
          while (site.goesOn() && socket.readyState !== WebSocket.CLOSED) {
            if (socket.readyState === WebSocket.OPEN) speak(socket);
            await pause(SLOW_READ_MS);
          }
          socket.terminate();
          await closed;
        }
      };
      await Promise.all(Array.from({ length: Math.max(1, Math.round(count * site.strength)) }, lane));
      return null;
    },
  };
}

function times(count: number, run: () => void): void {
  for (let nth = 0; nth < count; nth++) run();
}

/** Raw connections that send `text` once and read nothing. */
function unread(name: string, count: number, text: (site: AttackSite, host: string) => string): Attack {
  return {
    name,
    run: async (site) => {
      const { hostname, port } = new URL(site.baseUrl);
      await hold(site, count, (): Socket => {
        const socket = connect(Number(port), hostname, () => socket.write(text(site, hostname)));
        return socket.pause();
      });
      return null;
    },
  };
}

const json = { 'content-type': 'application/json' };
const nested = `${'{"a":'.repeat(NESTED)}1${'}'.repeat(NESTED)}`;
const line = (body: string, nth: number): string => `{"custom_id":"l${nth}","body":${body}}`;
const batchOf = (body: string): string =>
  `{"model":"sim/fast","endpoint":"/v1/chat/completions","requests":[${Array.from({ length: LINES }, (_, nth) => line(body, nth)).join(',')}]}`;
const deepLines = batchOf(`{"messages":[{"role":"user","content":"a"}],"metadata":${nested},"tools":${nested}}`);
const plainLines = batchOf('{"messages":[{"role":"user","content":"a"}],"max_tokens":1}');
const BOUNDARY = 'b'.repeat(70);
const parts =
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${'n'.repeat(200)}"\r\nx: ${'y'.repeat(1_000)}\r\n\r\n\r\n`.repeat(
    2_000,
  );
/** Almost the boundary, over and over: a parser must not search it anew from each byte. */
const almost = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n${`\r\n--${BOUNDARY.slice(1)}`.repeat(40_000)}`;
const form = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
const upgradeHead =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

export const MORE_ATTACKS: readonly Attack[] = [
  repeated('a new connection for every request', 200, (site) =>
    send(site, 'POST', '/chat/completions', { ...json, connection: 'close' }, '{}'),
  ),
  sockets('frames on sockets of responses', '/responses', 60, (socket) =>
    times(200, () => socket.send('{"type":"response.cancel"}', () => {})),
  ),
  sockets('pings on sockets of responses', '/responses', 60, (socket) =>
    times(200, () => socket.ping('a'.repeat(125))),
  ),
  sockets('subscriptions with old cursors', '/events', 40, (socket) =>
    times(6, () => socket.send('{"type":"subscribe","types":["*"],"cursor":"0"}', () => {})),
  ),
  sockets(
    'upgrades with wrong keys',
    '/responses',
    100,
    () => {},
    () => ({ authorization: 'Bearer sk-gw-v1-no' }),
  ),
  unread(
    'upgrades that are left half-way',
    200,
    ({ key }, host) =>
      `GET /api/v1/responses HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n${upgradeHead}\r\n\u0081\u00fe\u0040`,
  ),
  repeated('batches of deep lines', 10, (site) => send(site, 'POST', '/batches', json, deepLines)),
  repeated('batches of 1,000 lines', 10, (site) => send(site, 'POST', '/batches', json, plainLines)),
  unread(
    'submissions that are left half-way',
    100,
    ({ key }, host) =>
      `POST /api/v1/batches HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n\r\n${plainLines.slice(0, 60_000)}`,
  ),
  repeated('forms of 2,000 parts', 20, (site) => send(site, 'POST', '/files', form, parts)),
  repeated('forms that almost end', 10, (site) => send(site, 'POST', '/files', form, almost)),
  ...RANGE_ATTACKS,
];
