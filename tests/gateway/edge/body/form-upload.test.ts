import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeBlob } from '../../../../actors/runtime/bytes/write-blob.ts';
import { systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { type FormUpload, readFormUpload } from '../../../../gateway/edge/body/form-upload.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { bytesHeld } from '../../../support/bytes-held.ts';

const it = bounded(test);
const MIB = 1024 * 1024;
const BOUNDARY = 'limit';
const HEAD = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;
const TAIL = `\r\n--${BOUNDARY}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nvision\r\n--${BOUNDARY}--\r\n`;

interface Sent {
  readonly form: Promise<FormUpload>;
  readonly request: IncomingMessage;
  readonly write: (text: string | Uint8Array) => boolean;
  readonly end: () => void;
  readonly leave: () => void;
}

/** Begins a request with the head of a form, and closes everything after `use`. */
async function sending(
  use: (sent: Sent) => Promise<void>,
  limits = config.edge,
  clock = systemClock,
  fileBytesMax = 1_000_000,
): Promise<void> {
  let arrived: (sent: Omit<Sent, 'write' | 'end' | 'leave'>) => void = () => {};
  const arrival = new Promise<Omit<Sent, 'write' | 'end' | 'leave'>>((resolve) => {
    arrived = resolve;
  });
  const server = createServer((request) => {
    const form = readFormUpload(request, {
      limits,
      clock,
      fileBytesMax,
      fieldsMax: 2,
      fieldBytesMax: 16,
      invite: null,
    });
    form.catch(() => {});
    arrived({ form, request });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = send({
    ...{ port: (server.address() as AddressInfo).port, host: '127.0.0.1', method: 'POST' },
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  });
  client.on('error', () => {});
  client.write(HEAD);
  try {
    await use({
      ...(await arrival),
      write: (text) => client.write(text),
      end: () => void client.end(),
      leave: () => void client.destroy(),
    });
  } finally {
    client.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function gather({ source }: FormUpload): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

it('yields the file as it arrives, and the fields behind it', () =>
  sending(async ({ form, write, end }) => {
    write('hello');
    const upload = await form;
    assert.is(upload.filename, 'a.txt');
    write(' world');
    write(TAIL);
    end();
    assert.is(await gather(upload), 'hello world');
    assert.equal(upload.fields.get('purpose'), ['vision']);
  }));

it('holds the client back until the file is pulled', () =>
  sending(async ({ form, request, write, end }) => {
    const piece = new Uint8Array(64 * 1024);
    for (let written = 0; written < 12; written++) write(piece);
    const { source } = await form;
    // What the parser takes stops growing long before the whole is read.
    let before = -1;
    for (let same = 0; same < 5; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const taken = request.socket.bytesRead;
      same = taken === before ? same + 1 : 0;
      before = taken;
    }
    assert.ok(request.isPaused() || request.readableLength > 0, 'the request is not read on');
    write(TAIL);
    end();
    let bytes = 0;
    for await (const one of source) bytes += one.length;
    assert.is(bytes, 12 * piece.length);
  }));

it('a client that leaves within the file fails the source', () =>
  sending(async ({ form, write, leave }) => {
    write('hello');
    const upload = await form;
    const gathered = failureOf(gather(upload));
    leave();
    const failure = (await gathered) as GatewayError;
    assert.instance(failure, GatewayError);
    assert.is(failure.status, 408);
  }));

it('a client that is too slow gets 408; time in which the gateway does not read is not counted', async () => {
  const timers: (() => void)[] = [];
  let nowMs = 0;
  const clock = {
    monotonic: () => nowMs,
    now: () => nowMs,
    after: (_ms: number, run: () => void) => {
      timers.push(run);
      return () => {};
    },
  };
  const limits = { ...config.edge, bodyGraceMs: 1_000, bodyBytesPerSecondMin: 1_000 };
  await sending(
    async ({ form, write }) => {
      write('hello');
      const upload = await form;
      nowMs = 60_000;
      timers.shift()?.();
      assert.is(timers.length, 1, 'nothing was pulled, so the client owes nothing');
      const gathered = failureOf(gather(upload));
      await new Promise((resolve) => setImmediate(resolve));
      nowMs = 120_000;
      timers.shift()?.();
      assert.is(((await gathered) as GatewayError).status, 408);
    },
    limits,
    clock,
  );
});

/** The form with these fields behind its file, which may have two fields of 16 bytes. */
const withFields = async (...fields: readonly (readonly [string, string])[]): Promise<unknown> => {
  let read: unknown = null;
  await sending(async ({ form, write, end }) => {
    write('hello');
    const upload = await form;
    const part = `\r\n--${BOUNDARY}`;
    for (const [name, value] of fields) {
      write(`${part}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}`);
    }
    write(`${part}--\r\n`);
    end();
    const failure = (await failureOf(gather(upload))) as GatewayError | null;
    read = failure === null ? [...upload.fields] : `${failure.status} ${failure.message}`;
  });
  return read;
};

it('the fields of a form are as many and as long as its route declares; a repeated one keeps every value', async () => {
  assert.equal(await withFields(['model', 'a'.repeat(15)]), [['model', ['a'.repeat(15)]]]);
  assert.equal(await withFields(['times[]', 'word'], ['times[]', 'segment']), [['times[]', ['word', 'segment']]]);
  assert.is(await withFields(['model', 'a'.repeat(17)]), '400 model is longer than 16 bytes');
  assert.is(await withFields(['a', '1'], ['b', '2'], ['c', '3']), '400 A form has at most 2 fields beside its file');
});

it('a form without an end is a 400', () =>
  sending(async ({ form, write, end }) => {
    write('hello');
    const upload = await form;
    end();
    assert.is(((await failureOf(gather(upload))) as GatewayError).status, 400);
  }));

it('stores 32 MiB with 8 MiB of buffers, whenever the collector runs', async () => {
  // Of the whole process; 4 MiB suffice where it runs nothing else.
  const [bytes, most] = [32 * MIB, 8 * MIB];
  await sending(
    async ({ form, write, end }) => {
      const piece = new Uint8Array(64 * 1024);
      // Buffers of the tests before this one are collected first: this process has many.
      bytesHeld();
      const before = process.memoryUsage().arrayBuffers;
      let highest = 0;
      // The client queues the same piece again and again, so that it needs no memory of its own.
      for (let sent = 0; sent < bytes; sent += piece.length) write(piece);
      write(TAIL);
      end();
      const { source } = await form;
      const stored = async function* (): AsyncIterable<Uint8Array> {
        for await (const given of source) {
          yield given;
          highest = Math.max(highest, process.memoryUsage().arrayBuffers - before);
        }
      };
      const draft = { id: 'a', append: async () => {}, finish: async () => {}, discard: async () => {} };
      const blob = await writeBlob(async () => draft, stored(), {
        bytesMax: 2 * bytes,
        random: systemRandom,
        clock: systemClock,
      });
      assert.is(blob.bytes, bytes);
      assert.ok(highest < most, `${highest} bytes of buffers`);
    },
    config.edge,
    systemClock,
    2 * bytes,
  );
});

test.run();
