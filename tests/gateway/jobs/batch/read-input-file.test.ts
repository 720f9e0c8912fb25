import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileRecord } from '../../../../actors/file/file-record.ts';
import { sealBlob, systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { FileRoom, placeOfFile } from '../../../../gateway/files/file-services.ts';
import { readInputFile } from '../../../../gateway/jobs/batch/read-input-file.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { JsonText } from '../../../../gateway/terms/json-text.ts';
import { HandClock } from '../../../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../../../support/bounded.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import { pieces } from '../../../support/pieces.ts';

const it = bounded(test);
const CHAT = '/v1/chat/completions';
const FILE = `file_${'0'.repeat(32)}`;

/** Reads a stored file whose bytes arrive in pieces of this length. */
async function reader(text: string, pieceBytes = 64 * 1024, room = new FileRoom(1_000_000, systemClock)) {
  const { filesOf, blobs, keys } = memoryFiles();
  const bytes = Buffer.from(text);
  const blob = sealBlob(
    await keys.current(),
    placeOfFile('acct_1', FILE),
    await blobs.put(pieces.of(bytes)),
    systemRandom,
  );
  const file = { id: FILE, account: 'acct_1', expiresAt: 2_000, blob, bytes: bytes.length, purpose: 'batch' };
  const rows = { row: async () => ({ body: JSON.stringify(file as FileRecord) }) };
  const inPieces = {
    read: async function* () {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
  const files = {
    ...filesOf({ now: () => 1_000, rows }),
    bytes: { keys, blobs: inPieces as unknown as typeof blobs },
  };
  return () => readInputFile(files, { account: 'acct_1', id: FILE, endpoint: CHAT, limits: config.edge, room });
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const { status, message } = await failureOf(work, GatewayError);
  return `${status} ${message}`;
}

const line = (at: number, text = 'ü😀'): string =>
  JSON.stringify({ custom_id: `r${at}`, method: 'POST', url: CHAT, body: { model: 'm', text } });

it('reads one request a line, wherever the pieces of the file are cut', async () => {
  const text = `${line(0)}\r\n\n${line(1, 'a\\n"b')}\n \t\r\n${line(2)}`;
  for (const pieceBytes of [1, 2, 3, 7, 64, 65_536]) {
    const { requests } = await (await reader(text, pieceBytes))();
    assert.equal(
      requests.map(({ customId, body }) => [customId, JSON.parse((body as JsonText).text).text]),
      [
        ['r0', 'ü😀'],
        ['r1', 'a\\n"b'],
        ['r2', 'ü😀'],
      ],
    );
    assert.ok(requests.every(({ body }) => body instanceof JsonText));
  }
});

it('a line that cannot be read is named (rule B8)', async () => {
  assert.match(
    await refusal((await reader(`${line(0)}\n\n{"a"`))()),
    /^400 line 3 of the input file: The body is not valid/,
  );
  const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
  assert.match(await refusal((await reader(`{"a":${deep}}`))()), /^400 line 1 of the input file: The body is nested/);
  assert.match(await refusal((await reader('\n'))()), /^400 the input file has no request/);
});

it('the bytes of input files are bounded on a node until they are released, after a refusal too', async () => {
  const text = line(0);
  const clock = new HandClock();
  const room = new FileRoom(Buffer.byteLength(text) * 2, clock);
  const read = await reader(text, undefined, room);
  const { release } = await read();
  const refused = refusal(read());
  while (clock.armed === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(10_000);
  assert.match(await refused, /^503 /);
  release();
  const broken = await reader('{', undefined, room);
  for (let nth = 0; nth < 200; nth++) assert.match(await refusal(broken()), /^400 /);
  (await read()).release();
});

test.run();
