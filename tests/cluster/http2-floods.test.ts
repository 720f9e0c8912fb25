/** Floods and malformed input on the HTTP/2 layer of a node's gRPC port. (rule E41) */
import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { LaunchedNodes } from '../support/cluster/launched-nodes.ts';
import { limit } from '../support/pace.ts';

const it = bounded(test);
const RISE_MIB_MAX = 96;
const CLOSED_MS = 20_000;

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

const CALL = block({
  ':method': 'POST',
  ':scheme': 'http',
  ':path': '/troupe.link.Link/Data',
  ':authority': 'node',
  'content-type': 'application/grpc',
  te: 'trailers',
});

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

const ATTACKS: readonly (readonly [string, (attacker: Attacker) => Promise<void>])[] = [
  [
    'twenty thousand streams opened and reset at once',
    async (attacker) => {
      for (let i = 0; i < 20_000 && !attacker.closed; i++) {
        const stream = odd(i);
        await attacker.send(
          Buffer.concat([frame(HEADERS, END_HEADERS, stream, CALL), frame(RST_STREAM, 0, stream, CANCEL)]),
        );
      }
    },
  ],
  [
    'a header block that never ends',
    async (attacker) => {
      await attacker.send(frame(HEADERS, 0, 1, CALL));
      const more = block(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, 'y'.repeat(100)])));
      for (let i = 0; i < 10_000 && !attacker.closed; i++) await attacker.send(frame(CONTINUATION, 0, 1, more));
    },
  ],
  [
    'ten thousand streams held open',
    async (attacker) => {
      for (let i = 0; i < 10_000 && !attacker.closed; i++)
        await attacker.send(frame(HEADERS, END_HEADERS, odd(i), CALL));
    },
  ],
  [
    'a message that declares a gigabyte and sends as much as it can',
    async (attacker) => {
      await attacker.send(frame(HEADERS, END_HEADERS, 1, CALL));
      const head = Buffer.from([0, 0x40, 0, 0, 0]);
      await attacker.send(frame(DATA, 0, 1, head));
      const piece = frame(DATA, 0, 1, Buffer.alloc(16_384, 'z'));
      for (let i = 0; i < 16_384 && !attacker.closed; i++) await attacker.send(piece);
    },
  ],
];

let nodes: LaunchedNodes;
test.before(async () => {
  nodes = await LaunchedNodes.start({ names: ['n1'] });
});
test.after(() => nodes.close());

const serves = async (): Promise<boolean> =>
  'body' in (await nodes.ask('n1', 'tally:a', { type: 'tally.add', by: 1 }, 10_000));
const memory = (): number => nodes.memoryMib('n1');

for (const [title, attack] of ATTACKS) {
  it(`the connection is closed, memory is bounded, and the node serves: ${title} (rule E41)`, async () => {
    assert.ok(await serves());
    const before = memory();
    const address = nodes.node('n1').grpc;
    const attackers = [new Attacker(address), new Attacker(address), new Attacker(address)];
    const attacking = Promise.all(attackers.map(attack));
    let highest = before;
    let over = false;
    void attacking.then(() => {
      over = true;
    });
    while (!over) {
      assert.ok(await serves(), 'it serves during the attack');
      highest = Math.max(highest, memory());
    }
    const closed = await Promise.all(attackers.map((attacker) => attacker.wasClosed()));
    highest = Math.max(highest, memory());
    assert.equal(closed, [true, true, true], 'every connection was closed');
    process.stdout.write(`${title}: +${Math.round(highest - before)} MiB\n`);
    assert.ok(highest - before < RISE_MIB_MAX, `${Math.round(highest - before)} MiB more`);
    assert.ok(await serves());
  });
}

test.run();
