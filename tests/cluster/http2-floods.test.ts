/** Floods and malformed input on the HTTP/2 layer of a node's gRPC port. (rule E41) */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import config from '../../cluster.config.ts';
import { bounded } from '../support/bounded.ts';
import { LaunchedNodes } from '../support/cluster/launched-nodes.ts';
import { limit } from '../support/pace.ts';

const it = bounded(test);
/**
 * Of what the node holds after a collection: windows of 64 KiB and what streams and their headers take. One whole
 * message on each of 64 streams of three connections would be 216 MiB.
 */
const RISE_MIB_MAX = 16;
const MIB = 1024 * 1024;
const CLOSED_MS = 20_000;
/** A look at what is held collects the whole heap. */
const LOOK_MS = 200;

const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const CONTINUATION = 9;
const ACK = 1;
const END_HEADERS = 4;
const CANCEL = Buffer.from([0, 0, 0, 8]);

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Literal header fields without compression. */
function block(headers: Readonly<Record<string, string>>): Buffer {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  const fields = Object.entries(headers).map(([name, value]) => [Buffer.from([0]), text(name), text(value)]);
  return Buffer.concat(fields.flat());
}

const callOf = (path: string): Buffer =>
  block({
    ':method': 'POST',
    ':scheme': 'http',
    ':path': path,
    ':authority': 'node',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
const LINK = callOf('/troupe.link.Link/Data');
/** A node reads the body of a call of one message before it serves the call. */
const PROBE = callOf('/troupe.link.Link/Probe');
const COMMAND = callOf('/troupe.operator.Operator/Ask');

/** A raw HTTP/2 client that may violate the protocol. */
class Attacker {
  closed = false;
  #moveOn: () => void = () => {};
  readonly #socket: Socket;

  constructor(address: string) {
    const [host, port] = address.split(':');
    this.#socket = connect({ host: host as string, port: Number(port) });
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.closed = true;
      this.#moveOn();
    });
    this.#socket.on('drain', () => this.#moveOn());
    this.#socket.on('data', () => {});
    this.#socket.write(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'));
    this.#socket.write(frame(SETTINGS, 0, 0));
    this.#socket.write(frame(SETTINGS, ACK, 0));
  }

  /** Waits only for its own socket buffer. */
  async send(bytes: Buffer): Promise<void> {
    if (this.closed || this.#socket.write(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#moveOn = resolve;
    });
  }

  /** True if the node closed the connection in time. */
  async wasClosed(): Promise<boolean> {
    const leftMs = limit(CLOSED_MS);
    while (!this.closed && leftMs() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    this.#socket.destroy();
    return this.closed;
  }
}

const odd = (index: number): number => index * 2 + 1;

/** The start of a message of this length. */
function declared(bytes: number): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes, 1);
  return head;
}

const PIECE = Buffer.alloc(16_384, 'z');
/** As many as a connection may hold open, each as long as an envelope may be. */
const STREAMS = 64;
const MESSAGE_PIECES = config.runtime.envelopeBytesMax / PIECE.length;

async function unended(attacker: Attacker, call: Buffer): Promise<void> {
  const streams = Array.from({ length: STREAMS }, (_, i) => odd(i));
  for (const stream of streams) {
    await attacker.send(frame(HEADERS, END_HEADERS, stream, call));
    await attacker.send(frame(DATA, 0, stream, declared(config.runtime.envelopeBytesMax)));
  }
  for (let i = 1; i < MESSAGE_PIECES; i++) {
    for (const stream of streams) await attacker.send(frame(DATA, 0, stream, PIECE));
  }
}

const ATTACKS: readonly (readonly [string, (attacker: Attacker) => Promise<void>])[] = [
  [
    'twenty thousand streams opened and reset at once',
    async (attacker) => {
      for (let i = 0; i < 20_000 && !attacker.closed; i++) {
        const stream = odd(i);
        await attacker.send(
          Buffer.concat([frame(HEADERS, END_HEADERS, stream, LINK), frame(RST_STREAM, 0, stream, CANCEL)]),
        );
      }
    },
  ],
  [
    'a header block that never ends',
    async (attacker) => {
      await attacker.send(frame(HEADERS, 0, 1, LINK));
      const more = block(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, 'y'.repeat(100)])));
      for (let i = 0; i < 10_000 && !attacker.closed; i++) await attacker.send(frame(CONTINUATION, 0, 1, more));
    },
  ],
  [
    'ten thousand streams held open',
    async (attacker) => {
      for (let i = 0; i < 10_000 && !attacker.closed; i++)
        await attacker.send(frame(HEADERS, END_HEADERS, odd(i), LINK));
    },
  ],
  [
    'a message that declares a gigabyte and sends as much as it can',
    async (attacker) => {
      await attacker.send(
        Buffer.concat([frame(HEADERS, END_HEADERS, 1, PROBE), frame(DATA, 0, 1, declared(1024 * MIB))]),
      );
      for (let i = 0; i < 16_384 && !attacker.closed; i++) await attacker.send(frame(DATA, 0, 1, PIECE));
    },
  ],
  ['probes whose messages stop one piece before their end', (attacker) => unended(attacker, PROBE)],
  ['commands whose messages stop one piece before their end', (attacker) => unended(attacker, COMMAND)],
];

let nodes: LaunchedNodes;
test.before(async () => {
  nodes = await LaunchedNodes.start({ names: ['n1'] });
});
test.after(() => nodes.close());

const serves = async (): Promise<boolean> =>
  'body' in (await nodes.ask('n1', 'tally:a', { type: 'tally.add', by: 1 }, 10_000));
const held = (): Promise<number> => nodes.heldMib('n1');

for (const [title, attack] of ATTACKS) {
  it(`the connection is closed, memory is bounded, and the node serves: ${title} (rule E41)`, async () => {
    assert.ok(await serves());
    const before = await held();
    const address = nodes.node('n1').grpc;
    const attackers = [new Attacker(address), new Attacker(address), new Attacker(address)];
    let over = false;
    const ended = Promise.all(attackers.map((attacker) => attack(attacker).then(() => attacker.wasClosed())));
    void ended.then(() => {
      over = true;
    });
    let highest = before;
    while (!over) {
      assert.ok(await serves(), 'it serves during the attack');
      highest = Math.max(highest, await held());
      await Promise.race([ended, pause(LOOK_MS)]);
    }
    assert.equal(await ended, [true, true, true], 'every connection was closed');
    const rise = (highest - before).toFixed(1);
    process.stdout.write(`${title}: +${rise} MiB\n`);
    assert.ok(highest - before < RISE_MIB_MAX, `${rise} MiB more are held`);
    assert.ok(await serves());
  });
}

test.run();
