import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import { systemClock, systemRandom } from '../../../actors/runtime/index.ts';
import config from '../../../cluster.config.ts';
import { chatDialect } from '../../../gateway/dialects/chat/chat-dialect.ts';
import { messagesDialect } from '../../../gateway/dialects/messages/messages-dialect.ts';
import { FileRoom } from '../../../gateway/files/file-room.ts';
import type { FileServices } from '../../../gateway/files/file-services.ts';
import { storeUpload } from '../../../gateway/files/store-upload.ts';
import { attachFiles } from '../../../gateway/inference/attach-files.ts';
import type { InferenceServices } from '../../../gateway/inference/services.ts';
import type { Caller } from '../../../gateway/terms/caller.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../support/bounded.ts';
import { MemoryBlobs } from '../../support/memory-blobs.ts';
import { MemoryKeyStore } from '../../support/memory-key-store.ts';

const it = bounded(test);
const ports = { clock: systemClock, random: systemRandom };
const OWNER = 'acct_1';
const caller: Caller = { account: `account:${OWNER}`, key: `key:${OWNER}/key_1`, kind: 'inference' };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Services over files in memory; `requestBytesMax` and the room are 300,000 bytes. */
function open() {
  const rows = new Map<string, FileRecord>();
  let now = 1_000;
  const cluster = {
    now: () => now,
    ask: async (_to: string, { file, lifetimeMs }: { file: FileRecord; lifetimeMs: number }) => {
      const times = { createdAt: now, expiresAt: now + lifetimeMs };
      rows.set(file.id, { ...file, ...times });
      return times;
    },
    rows: {
      row: async (address: string, _collection: string, id: string) =>
        address === `file:${OWNER}/${id}` && rows.has(id) ? { body: JSON.stringify(rows.get(id)) } : null,
    },
  };
  const files = {
    ...{ ...ports, cluster, askMs: 1_000 },
    limits: { ...config.files, requestBytesMax: 300_000 },
    bytes: { blobs: new MemoryBlobs({ ...ports, bytesMax: 1_000_000 }), keys: new MemoryKeyStore(ports) },
  } as unknown as FileServices;
  const services = { files, fileRoom: new FileRoom(300_000) } as InferenceServices;
  const store = async (bytes: Uint8Array, filename = 'a.txt'): Promise<string> => {
    const source = (async function* () {
      yield bytes;
    })();
    const describe = () => ({ filename, purpose: 'user_data', lifetimeMs: 60_000 }) as const;
    return (await storeUpload(files, { account: OWNER, source, describe })).id;
  };
  const later = (ms: number): void => {
    now += ms;
  };
  return { services, store, later };
}

function turnOf(...ids: readonly string[]) {
  const content = [
    { type: 'text', text: 'look' },
    ...ids.map((id) => ({ type: 'file', file: { file_id: id } })),
    { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } },
  ];
  return chatDialect.parse({ model: 'm', messages: [{ role: 'user', content }] }, null).turn;
}

const attach = (services: InferenceServices, ...ids: readonly string[]) => {
  const turn = turnOf(...ids);
  return attachFiles(services, caller, turn, turn.files ?? []);
};

async function refusalOf(work: Promise<unknown>): Promise<GatewayError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

it('a stored file becomes data of its stored type, in its place, whatever its size modulo three', async () => {
  for (const length of [1, 2, 3, 65_535, 65_536, 65_537, 200_000]) {
    const { services, store } = open();
    const text = Buffer.alloc(length, 'abcdefg');
    const { turn, characters } = await attach(services, await store(text, 'notes.txt'), await store(PNG));
    const [message] = turn.messages;
    const parts = message !== undefined && 'parts' in message ? message.parts : undefined;
    assert.equal(parts?.slice(0, 3), [
      { type: 'text', text: 'look' },
      {
        ...{ type: 'file', filename: 'notes.txt' },
        source: { kind: 'data', mediaType: 'text/plain', base64: text.toString('base64') },
      },
      { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: PNG.toString('base64') } },
    ]);
    assert.is(characters, text.toString('base64').length + PNG.toString('base64').length);
    assert.equal(turn.modalities, { input: ['file', 'image'], output: [] });
  }
});

it('a stored file in a messages request keeps its mark for the cache, in a result of a tool too', async () => {
  const { services, store } = open();
  const id = await store(PNG, 'dot.png');
  const image = { type: 'image', source: { type: 'file', file_id: id }, cache_control: { type: 'ephemeral' } };
  const result = { type: 'tool_result', tool_use_id: 'c', content: [image] };
  const document = { type: 'document', title: 'T', source: { type: 'file', file_id: await store(Buffer.from('a')) } };
  const content = [result, document];
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] };
  const parsed = messagesDialect.parse(body, null).turn;
  const { turn } = await attachFiles(services, caller, parsed, parsed.files ?? []);
  const source = { kind: 'data', mediaType: 'image/png', base64: PNG.toString('base64') };
  assert.equal(
    turn.messages.map((message) => 'parts' in message && message.parts),
    [
      [{ type: 'image', source, cacheFor: '5m' }],
      [{ type: 'file', filename: 'T', source: { kind: 'data', mediaType: 'text/plain', base64: 'YQ==' } }],
    ],
  );
  assert.equal(turn.modalities, { input: ['image', 'file'], output: [] });
});

it('unknown, malformed and expired ids get one answer that names the member', async () => {
  const { services, store, later } = open();
  const known = await store(Buffer.from('a'));
  await attach(services, known);
  later(60_000);
  for (const id of [known, 'file_1', `file_${'0'.repeat(32)}`, '']) {
    const refused = await refusalOf(attach(services, id));
    assert.equal(
      [refused.status, refused.type, refused.message],
      [404, 'not_found', 'messages[0].content[1].file.file_id names no file of this account'],
    );
  }
});

it('files above the total of one request are 413, and the node’s room is given back', async () => {
  const { services, store } = open();
  const half = await store(Buffer.alloc(150_000, 'a'));
  const more = await store(Buffer.alloc(150_001, 'a'));
  const refused = await refusalOf(attach(services, half, more));
  assert.equal([refused.status, refused.type], [413, 'payload_too_large']);
  const first = await attach(services, half, half);
  assert.is((await refusalOf(attach(services, half))).status, 503);
  first.release();
  first.release();
  const second = await attach(services, half, half);
  assert.is((await refusalOf(attach(services, half))).status, 503);
  second.release();
});

test.run();
