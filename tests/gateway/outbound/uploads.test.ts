import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import type { OutboundCall } from '../../../gateway/outbound/outbound.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import { bounded } from '../../support/bounded.ts';
import { type Answer, arrived, failureOf, serving as servingCall, until } from './scene.ts';

const it = bounded(test);
const LIMITS = { connectMs: 30_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 60_000, bodyBytesMax: 1_000_000 };

function serving(answer: Answer, run: (call: OutboundCall) => Promise<void>): Promise<void> {
  return servingCall(answer, { path: '/videos', body: null, limits: LIMITS }, run);
}

function pools(): Pools {
  return new Pools({ clock: systemClock, lease: { connected: true }, connectionsPerOriginMax: 2, connectMs: 30_000 });
}

it('an upload is written as the server takes it, with its length ahead', async () => {
  const chunks = 64;
  let produced = 0;
  let received = 0;
  let length: string | undefined;
  await serving(
    (request, response) => {
      length = request.headers['content-length'];
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      request.on('end', () => response.end('stored'));
    },
    async (call) => {
      const client = pools();
      const body = {
        length: chunks * 1_000,
        chunks: async function* () {
          for (; produced < chunks; produced++) yield Buffer.alloc(1_000, 1);
        },
      };
      const reply = await client.send({ ...call, body });
      assert.is(await reply.body.text(), 'stored');
      assert.equal([length, received, produced], [String(chunks * 1_000), chunks * 1_000, chunks]);
      await client.close();
    },
  );
});

it('an upload that is not taken is not produced, and ends with its call', async () => {
  let produced = 0;
  let ended = false;
  await serving(
    (request) => request.pause(),
    async (call) => {
      const client = pools();
      let abort: () => void = () => {};
      const begun = (way: () => void): void => {
        abort = way;
      };
      const body = {
        length: 1e9,
        chunks: async function* () {
          try {
            for (;;) {
              produced += 64 * 1_024;
              yield Buffer.alloc(64 * 1_024);
            }
          } finally {
            ended = true;
          }
        },
      };
      const failure = failureOf(client.send({ ...call, body, begun }));
      await until(() => produced > 0);
      await arrived();
      assert.ok(produced < 64 * 1_024 * 1_024, `${produced} bytes were produced for a server that reads none`);
      abort();
      assert.is(await failure, 'aborted');
      await until(() => ended);
      await client.close();
    },
  );
});

test.run();
