import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileRecord } from '../../../actors/file/file-record.ts';
import { type Clock, type Json, systemClock } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { paymentRequired } from '../../../actors/terms/refusal.ts';
import config from '../../../cluster.config.ts';
import { chatDialect } from '../../../gateway/dialects/chat/chat-dialect.ts';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import { messagesDialect } from '../../../gateway/dialects/messages/messages-dialect.ts';
import { FileRoom } from '../../../gateway/files/file-services.ts';
import { storeUpload } from '../../../gateway/files/store-upload.ts';
import { TurnFiles } from '../../../gateway/inference/attach-files.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import type { Caller } from '../../../gateway/terms/caller.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { HandClock } from '../../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../../support/bounded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { memoryFiles } from '../../support/memory-files.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { pieces } from '../../support/pieces.ts';
import { wav } from '../pricing/sounds.ts';
import { type Answers, generous, type SentEvent, type Stage, stage } from '../stage.ts';
import { openScene, sim } from './scene.ts';
import { start as startTurn } from './start.ts';

const it = bounded(test);
const OWNER = 'acct_1';
const caller: Caller = { account: `account:${OWNER}`, key: `key:${OWNER}/key_1`, kind: 'inference' };
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Services over files in memory; `requestBytesMax` is 150,000 bytes, and the room twice that. */
function open(clock: Clock = systemClock) {
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
  const { blobs, filesOf } = memoryFiles();
  const files = { ...filesOf(cluster), limits: { ...config.files, requestBytesMax: 150_000 } };
  const fileRoom = new FileRoom(300_000, clock);
  const turnFiles = new TurnFiles(files, fileRoom);
  const store = async (bytes: Uint8Array, filename = 'a.txt'): Promise<string> => {
    const source = pieces.of(bytes);
    const describe = () => ({ filename, purpose: 'user_data', lifetimeMs: 60_000 }) as const;
    return (await storeUpload(files, { account: OWNER, source, describe })).id;
  };
  const later = (ms: number): void => {
    now += ms;
  };
  return { turnFiles, fileRoom, store, later, blobs };
}

function turnOf(...ids: readonly string[]) {
  const content = [
    { type: 'text', text: 'look' },
    ...ids.map((id) => ({ type: 'file', file: { file_id: id } })),
    { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } },
  ];
  return chatDialect.parse({ model: 'm', messages: [{ role: 'user', content }] }, null).turn;
}

const attach = (turnFiles: TurnFiles, ...ids: readonly string[]) => attached(turnFiles, turnOf(...ids));

/** A parsed turn as it is sent, the turn as it is planned, and the function that gives the room back. */
async function attached(turnFiles: TurnFiles, parsed: Turn, as = caller) {
  const { turn, files } = await turnFiles.describe(as, parsed, parsed.files ?? []);
  const messages = await files.attach(turn.messages);
  return { turn: { ...turn, messages }, planned: turn, characters: files.characters, release: files.release };
}

const refusalOf = (work: Promise<unknown>): Promise<GatewayError> => failureOf(work, GatewayError);

it('a stored file becomes data of its stored type, in its place, whatever its size modulo three', async () => {
  for (const length of [1, 2, 3, 65_535, 65_536, 65_537, 140_000]) {
    const { turnFiles, store } = open();
    const text = Buffer.alloc(length, 'abcdefg');
    const { turn, characters } = await attach(turnFiles, await store(text, 'notes.txt'), await store(PNG));
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
  const { turnFiles, store } = open();
  const id = await store(PNG, 'dot.png');
  const image = { type: 'image', source: { type: 'file', file_id: id }, cache_control: { type: 'ephemeral' } };
  const result = { type: 'tool_result', tool_use_id: 'c', content: [image] };
  const document = { type: 'document', title: 'T', source: { type: 'file', file_id: await store(Buffer.from('a')) } };
  const content = [result, document];
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] };
  const parsed = messagesDialect.parse(body, null).turn;
  const { turn } = await attached(turnFiles, parsed);
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

it('unknown, malformed and expired ids get one answer that names the member (rule B36)', async () => {
  const { turnFiles, store, later } = open();
  const known = await store(Buffer.from('a'));
  await attach(turnFiles, known);
  later(60_000);
  for (const id of [known, 'file_1', `file_${'0'.repeat(32)}`, '']) {
    const refused = await refusalOf(attach(turnFiles, id));
    assert.equal(
      [refused.status, refused.type, refused.message],
      [404, 'not_found', 'messages[0].content[1].file.file_id names no file of this account'],
    );
  }
});

it('files above the total of one request are 413, and one account holds at most half of the room (rule B42)', async () => {
  const clock = new HandClock();
  const { turnFiles, fileRoom, store } = open(clock);
  const half = await store(Buffer.alloc(75_000, 'a'));
  const more = await store(Buffer.alloc(75_001, 'a'));
  const refused = await refusalOf(attach(turnFiles, half, more));
  assert.equal([refused.status, refused.type], [413, 'payload_too_large']);
  const first = await attach(turnFiles, half, half);
  const waiting = refusalOf(attach(turnFiles, half));
  while (clock.armed === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(10_000);
  assert.is((await waiting).status, 503, 'the half of this account is taken');
  const other = await fileRoom.take('acct_2', 150_000);
  other();
  first.release();
  first.release();
  const second = await attach(turnFiles, half, half);
  const next = attach(turnFiles, half);
  second.release();
  (await next).release();
});

it('the bytes of a file are read when the turn is sent, each once; its type, size and name are known before', async () => {
  const { turnFiles, store, blobs } = open();
  const parsed = turnOf(await store(Buffer.alloc(50_000, 'a'), 'notes.txt'), await store(PNG));
  const { turn, files } = await turnFiles.describe(caller, parsed, parsed.files ?? []);
  const [message] = turn.messages;
  assert.equal(message !== undefined && 'parts' in message && message.parts?.slice(1, 3), [
    { type: 'file', filename: 'notes.txt', source: { kind: 'stored', mediaType: 'text/plain', bytes: 50_000 } },
    { type: 'image', source: { kind: 'stored', mediaType: 'image/png', bytes: PNG.length } },
  ]);
  assert.equal(turn.modalities, { input: ['file', 'image'], output: [] });
  assert.is(blobs.reads.length, 0);
  const sent = await files.attach(turn.messages);
  const reads = blobs.reads.length;
  assert.ok(reads > 0);
  assert.equal(await files.attach(turn.messages), sent, 'for the next endpoint');
  assert.is(blobs.reads.length, reads);
  files.release();
});

const scene = await openScene();
test.after(() => scene.close());

const SEES = {
  inputModalities: ['text', 'image', 'file', 'audio'],
  inputs: inputsOf('image', 'file', 'audio'),
} as const;

function inputsOf(...modalities: readonly ('image' | 'file' | 'audio')[]): Endpoint['inputs'] {
  return Object.fromEntries(modalities.map((each) => [each, { sources: ['data'], containers: null }]));
}

/** A turn in the chat dialect whose message names these files. */
function start(on: Stage, { turnFiles }: ReturnType<typeof open>, ids: readonly string[], more: object = {}) {
  const files = ids.map((id) => ({ type: 'file', file: { file_id: id } }));
  const [{ content }] = (sim({ tokens: 2 }) as { messages: [{ content: string }] }).messages;
  return startTurn(
    { ...on.services, files: turnFiles },
    {
      dialect: DIALECTS.chat,
      body: {
        ...{ model: 'sim/fast', max_tokens: 20 },
        messages: [{ role: 'user', content: [{ type: 'text', text: content }, ...files] }],
        ...more,
      },
      session: null,
      generation: 'gen-1',
      bytes: 100,
      caller,
      attribution: { appTitle: null, appUrl: null },
      startedAt: performance.now(),
    },
  );
}

it('a request that modality, price or balance refuses reads no byte of the files that it names (rule B43)', async () => {
  const blind = board(boardEndpoint('a', scene.a.baseUrl));
  const sees = board({ ...boardEndpoint('a', scene.a.baseUrl, { contextLength: 100_000 }), ...SEES });
  const short = ({ event }: SentEvent): Json =>
    event.type === 'turn.admit'
      ? { admitted: false, refusal: paymentRequired('account', { required: '1', available: '0' }) as unknown as Json }
      : generous({ event } as SentEvent);
  const cases = [
    [{ endpoints: blind }, {}, 503],
    [{ endpoints: sees }, { provider: { max_price: { prompt: '0.0000000001' } } }, 503],
    [{ endpoints: sees, answers: short as Answers }, {}, 402],
  ] as const;
  for (const [options, more, status] of cases) {
    const opened = open();
    const on = stage(options);
    const ids = [await opened.store(PNG), await opened.store(Buffer.alloc(100_000, 'a'))];
    const refused = await refusalOf(start(on, opened, ids, more));
    assert.is(refused.status, status, refused.message);
    assert.is(opened.blobs.reads.length, 0, `${status}`);
    await (await opened.fileRoom.take(OWNER, 150_000))();
    await on.end();
  }
});

it('an accepted request reads its files after its hold and sends their bytes; the room is free at its end (rule B43)', async () => {
  const opened = open();
  let readBefore = -1;
  const answers: Answers = (sent) => {
    if (sent.event.type === 'turn.admit') readBefore = opened.blobs.reads.length;
    return generous(sent);
  };
  const endpoints = board({ ...boardEndpoint('a', scene.a.baseUrl, { contextLength: 100_000 }), ...SEES });
  const on = stage({ endpoints, answers });
  const running = await start(on, opened, [await opened.store(PNG)]);
  assert.is(readBefore, 0);
  assert.ok(opened.blobs.reads.length > 0);
  const { charge } = await endTurn(on.services, running);
  assert.is(charge, 'recorded');
  assert.match(JSON.stringify(scene.a.calls.at(-1)), new RegExp(PNG.toString('base64').slice(0, 40)));
  await (await opened.fileRoom.take(OWNER, 150_000))();
  await on.end();
});

it('stored sound with a price per second is held without its seconds first, then measured, held and charged', async () => {
  const opened = open();
  const hears: Endpoint = {
    ...boardEndpoint('a', scene.a.baseUrl, { contextLength: 100_000 }),
    ...SEES,
    tariff: { id: 'tar_1', discount: 0, prompt: '0', completion: '0', audioSecond: '0.01', audioSecondOf: 'prompt' },
  };
  const reads: number[] = [];
  const answers: Answers = (sent) => {
    if (sent.event.request) reads.push(opened.blobs.reads.length);
    return generous(sent);
  };
  const on = stage({ endpoints: board(hears), answers });
  const running = await start(on, opened, [await opened.store(wav(1, { rate: 24_000 }), 'a.wav')]);
  const { settlement } = await endTurn(on.services, running);
  assert.is(reads[0], 0, 'held before a byte is read');
  assert.equal(
    on.asks.flatMap(({ event }) => (event.request ? [event.request.amount] : [])),
    ['0', '0.01'],
  );
  assert.equal(settlement?.media, { inputAudioSeconds: '1' });
  assert.is(settlement?.cost, '0.01');
  await on.end();
});

test.run();
