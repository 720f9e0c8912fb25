/**
 * A minimal node: a receiver and an HTTP server that answers its name and the bytes it read. Its arguments make it send
 * itself a signal at a named point of a hand-off, or exit with a code: `fake-node NAME [SIGNAL|CODE POINT NTH MARK]`. It
 * creates the file MARK before that, and a process that finds MARK passes the point. Plain JavaScript over the built receiver: it is started
 * 70 times, and a TypeScript loader would cost each start 0.3 s of CPU.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { openNodeReceiver } from '../../../../dist/gateway/operator/launcher/node-receiver.js';

// As in the build: imported, it would load an HTTP client too, for 70 ms.
const { createServer } = createRequire(import.meta.url)('node:http');

const [name = 'fake', signal, point, nth = '1', mark = ''] = process.argv.slice(2);
let passed = 0;

function pass(where) {
  if (where !== point || !signal || existsSync(mark)) return;
  passed++;
  if (passed < Number(nth)) return;
  writeFileSync(mark, name);
  const code = Number(signal);
  if (Number.isNaN(code)) process.kill(process.pid, signal);
  else process.exit(code);
}

const channel = {
  send: (message, _handle, _options, sent) => {
    const written = process.send?.(message, undefined, undefined, (error) => {
      if (message.type === 'taken') pass('before-read');
      sent?.(error);
    });
    pass(`sent-${message.type}`);
    return written ?? false;
  },
  on: (event, listen) =>
    process.on(event, (...args) => {
      if (event === 'message') pass(`received-${args[0].type}`);
      listen(...args);
    }),
};

const server = createServer((request, response) => {
  let bytes = 0;
  request.on('data', (chunk) => {
    bytes += chunk.length;
  });
  request.on('end', () => {
    if (request.url === '/block' && request.headers['x-not'] !== name) blockFor(Number(request.headers['x-ms']));
    if (request.url === '/block-until') blockUntil(request.headers['x-file']);
    if (request.url === '/busy') storeBusyMs = Number(request.headers['x-ms']);
    if (request.url === '/patient') patient = true;
    if (request.url === '/exit') process.exit(Number(request.headers['x-code']));
    response.setHeader('connection', request.headers.connection ?? 'close');
    response.end(JSON.stringify({ name, pid: process.pid, bytes, deaths, restarts: [...restarts.values()] }));
  });
});
server.emit('listening');
let storeBusyMs = 0;
/** Its drain never ends, and reports that it waits. */
let patient = false;
const deaths = [];
const restarts = new Map();

function blockFor(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Blocks until the file `<path>.end` exists; creates `<path>.begun` first. */
function blockUntil(path) {
  writeFileSync(`${path}.begun`, '');
  while (!existsSync(`${path}.end`)) blockFor(10);
}

const receiver = openNodeReceiver({
  channel,
  accept: (socket) => server.emit('connection', socket),
  storeBusyMs: () => storeBusyMs,
  drain: () => {
    receiver.close();
    if (patient) setInterval(() => receiver.waits('waits for a render'), 20);
    else setTimeout(() => process.exit(0), 50);
  },
  died: (death) => deaths.push(death),
  restarted: (noted) => restarts.set(noted.name, noted),
  orphaned: () => process.exit(0),
});
process.on('SIGINT', () => {});
pass('before-up');
receiver.up({ incarnation: `${name}-${process.pid}`, grpc: '127.0.0.1:1', operatorUrl: 'http://127.0.0.1:2' });
