import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { LinkProxy } from '../support/links/proxy.ts';

const it = bounded(test);

/** An echo server, a proxy in front of it, and a client that records what it receives. */
class Bench {
  received = '';
  ended = false;
  client!: Socket;
  proxy!: LinkProxy;
  readonly arrived: string[] = [];
  #server!: Server;
  readonly #sockets: Socket[] = [];

  static async open(): Promise<Bench> {
    const bench = new Bench();
    bench.#server = createServer((socket) => {
      bench.#sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        bench.arrived.push(String(bytes));
        socket.write(bytes);
      });
    });
    await new Promise<void>((resolve) => bench.#server.listen(0, '127.0.0.1', resolve));
    bench.proxy = await LinkProxy.open({ target: `127.0.0.1:${(bench.#server.address() as AddressInfo).port}` });
    bench.dial();
    return bench;
  }

  dial(): void {
    this.ended = false;
    this.client = connect(Number(this.proxy.address.split(':')[1]), '127.0.0.1');
    this.client.on('error', () => {});
    this.client.on('data', (bytes) => {
      this.received += String(bytes);
    });
    this.client.on('close', () => {
      this.ended = true;
    });
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  async close(): Promise<void> {
    this.client.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await this.proxy.close();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function within(title: string, run: (bench: Bench) => Promise<void>): void {
  it(title, async () => {
    const bench = await Bench.open();
    try {
      await run(bench);
    } finally {
      await bench.close();
    }
  });
}

const whileLong = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

within('without faults everything passes, both ways, and no fault took effect', async (bench) => {
  bench.client.write('one');
  await bench.until(() => bench.received === 'one');
  assert.is(bench.proxy.faulted, 0);
});

within('a cut direction holds everything back until it heals, and the other goes on', async (bench) => {
  bench.client.write('one');
  await bench.until(() => bench.received === 'one');
  bench.proxy.set('downstream', { timeout: true });
  bench.client.write('two');
  await bench.until(() => bench.arrived.join('') === 'onetwo');
  await whileLong();
  assert.is(bench.received, 'one');
  assert.ok(bench.proxy.faulted > 0);
  bench.proxy.set('upstream', { timeout: true });
  bench.client.write('three');
  await whileLong();
  assert.is(bench.arrived.join(''), 'onetwo');
  assert.is(bench.ended, false, 'the connection stays open');
  bench.proxy.heal();
  await bench.until(() => bench.received === 'onetwothree');
});

within('slow and sliced bytes arrive whole and in order', async (bench) => {
  bench.proxy.set('upstream', { latency: { ms: 1, jitterMs: 20 }, slicer: { bytesMax: 7 } });
  const text = Array.from({ length: 200 }, (_, i) => `${i};`).join('');
  bench.client.write(text);
  await bench.until(() => bench.received.length === text.length);
  assert.is(bench.received, text);
  assert.ok(bench.arrived.length > 1);
});

within('a reset, a refusal and a used-up limit end connections and count as faults', async (bench) => {
  bench.client.write('one');
  await bench.until(() => bench.received === 'one');
  bench.proxy.resetPeer();
  await bench.until(() => bench.ended);
  bench.proxy.down();
  bench.dial();
  await bench.until(() => bench.ended);
  bench.proxy.heal();
  bench.proxy.set('upstream', { limitData: { bytes: 5 } });
  bench.dial();
  bench.client.write('12345');
  await bench.until(() => bench.received.endsWith('12345'));
  bench.client.write('6');
  await bench.until(() => bench.ended);
  assert.is(bench.proxy.faulted, 3);
});

test.run();
