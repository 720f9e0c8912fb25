import { randomBytes } from 'node:crypto';
import OpenAI, { NotFoundError, toFile } from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi, refusal } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 60_000);
const MIB = 1024 * 1024;
const HOURS_48 = 48 * 3_600;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const { cluster, funded, send } = await openApi(test, openCluster);
const other = await cluster.fund('10');

const base = (node = 0) => cluster.baseUrls[node] as string;
const clientOf = (key: string, node = 0) => new OpenAI({ apiKey: key, baseURL: base(node), maxRetries: 0 });

function form(bytes: Uint8Array | string, filename = 'a.txt', fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  data.set('file', new Blob([bytes as never]), filename);
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

interface FileObject {
  readonly id: string;
  readonly [member: string]: unknown;
}

async function upload(...args: Parameters<typeof form>): Promise<FileObject> {
  const answer = await send('/files', { body: form(...args) });
  assert.is(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as FileObject;
}

it('the OpenAI SDK uploads, lists, reads and deletes a file, each on another node (rule B38)', async () => {
  const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300_000)]);
  const file = await clientOf(funded.key).files.create({
    file: await toFile(bytes, 'вопрос.pdf'),
    purpose: 'user_data',
  });
  assert.match(file.id, /^file_[0-9a-f]{32}$/);
  const { created_at, id, ...rest } = file as unknown as FileObject & { created_at: number };
  assert.equal(rest, {
    ...{ object: 'file', type: 'file', filename: 'вопрос.pdf', bytes: bytes.length, size_bytes: bytes.length },
    ...{ mime_type: 'application/pdf', purpose: 'user_data', status: 'processed', downloadable: true },
    expires_at: created_at + HOURS_48,
  });
  assert.equal(await clientOf(funded.key, 1).files.retrieve(id), file);
  assert.ok((await clientOf(funded.key, 2).files.list()).data.some((one) => one.id === id));
  const content = await clientOf(funded.key, 1).files.content(id);
  assert.ok(Buffer.from(await content.arrayBuffer()).equals(bytes));
  assert.is(content.headers.get('content-type'), 'application/pdf');
  assert.match(content.headers.get('content-disposition') as string, /^attachment; .*filename\*=UTF-8''%D0%B2/);
  assert.is(content.headers.get('x-content-type-options'), 'nosniff');
  const deleted = await clientOf(funded.key, 2).files.delete(id);
  assert.equal(deleted as unknown, { id, object: 'file', type: 'file_deleted', deleted: true });
  for (const node of [0, 1, 2]) {
    const gone = await clientOf(funded.key, node)
      .files.retrieve(id)
      .catch((error: unknown) => error);
    assert.instance(gone, NotFoundError);
  }
});

it('a download keeps a name of any script, Latin-1 among them', async () => {
  for (const name of ['Übersicht.pdf', 'naïve café.txt', 'año 2026 – 年報.pdf', 'a"b\\c.txt', 'plain.txt']) {
    const file = await clientOf(funded.key).files.create({
      file: await toFile(Buffer.from('text'), name),
      purpose: 'user_data',
    });
    const { status, headers } = await send(`/files/${file.id}/content`);
    assert.is(status, 200, name);
    const disposition = headers.get('content-disposition') as string;
    const [, encoded] = /filename\*=UTF-8''(\S+)/.exec(disposition) ?? [];
    assert.is(encoded !== undefined, file.filename !== file.filename.replace(/[^\x20-\x7e]/g, ''), disposition);
    if (encoded !== undefined) assert.is(decodeURIComponent(encoded), file.filename);
  }
});

it('unknown, malformed, deleted and other accounts’ ids get one identical 404 on every route (rule B36)', async () => {
  const mine = await upload('mine');
  const gone = await upload('gone');
  await send(`/files/${gone.id}`, { method: 'DELETE' });
  const bodies = new Set<string>();
  const ask = async (id: string, key: string): Promise<void> => {
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/content'],
    ] as const) {
      const answer = await send(`/files/${id}${path}`, { method, key });
      assert.is(answer.status, 404);
      bodies.add(await answer.text());
    }
  };
  for (const id of [gone.id, `file_${'0'.repeat(32)}`, 'file_1', 'nonsense', '%00', '__proto__'])
    await ask(id, funded.key);
  await ask(mine.id, other.key);
  assert.is(bodies.size, 1, [...bodies].join('\n'));
  assert.is((await send(`/files/${mine.id}/content`)).status, 200);
});

it('lists by age, in pages, by purpose, and continues behind a file that was deleted (rule B41)', async () => {
  const { key } = await cluster.fund('1');
  const client = clientOf(key);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const purpose = i % 2 === 0 ? 'batch' : 'user_data';
    ids.push((await client.files.create({ file: await toFile(Buffer.from(`${i}`), `${i}`), purpose })).id);
  }
  const page = async (query: string) => (await (await send(`/files?${query}`, { key })).json()) as never;
  const idsOf = (list: { data: FileObject[] }) => list.data.map(({ id }) => id);
  assert.equal(idsOf(await page('')), [...ids].reverse());
  const first = (await page('limit=2&order=asc')) as {
    data: FileObject[];
    first_id: string;
    last_id: string;
    has_more: boolean;
  };
  assert.equal([idsOf(first), first.first_id, first.last_id, first.has_more], [ids.slice(0, 2), ids[0], ids[1], true]);
  await client.files.delete(ids[1] as string);
  const second = (await page(`limit=3&order=asc&after=${ids[1]}`)) as { data: FileObject[]; has_more: boolean };
  assert.equal([idsOf(second), second.has_more], [ids.slice(2), false]);
  assert.equal(idsOf(await page('purpose=batch')), [ids[4], ids[2], ids[0]] as string[]);
  const walked: string[] = [];
  for await (const file of client.files.list({ limit: 1 })) walked.push(file.id);
  assert.equal(
    walked,
    [...ids].reverse().filter((id) => id !== ids[1]),
  );
  const empty = { object: 'list', data: [], first_id: null, last_id: null, has_more: false };
  assert.equal(await page('purpose=evals'), empty);
  for (const [query, member] of [
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=x', 'limit'],
    ['order=up', 'order'],
    ['after=7', 'after'],
    ['purpose=no', 'purpose'],
  ] as const) {
    const refused = await refusal(await send(`/files?${query}`, { key }));
    assert.is(refused.status, 400);
    assert.match(refused.message, new RegExp(`^${member} `));
  }
});

it('one range is answered 206, one beyond the end 416, any other whole (rule B45)', async () => {
  const bytes = randomBytes(200_000);
  const { id } = await upload(bytes, 'a.bin');
  const range = (value: string) => send(`/files/${id}/content`, { headers: { range: value }, node: 2 });
  const cases: [string, number, number][] = [
    ['bytes=0-0', 0, 1],
    ['bytes=65530-131080', 65_530, 131_081],
    ['bytes=199999-', 199_999, 200_000],
    ['bytes=-5', 199_995, 200_000],
    ['bytes=0-999999', 0, 200_000],
    ['bytes=-999999', 0, 200_000],
  ];
  for (const [header, from, to] of cases) {
    const answer = await range(header);
    assert.is(answer.status, 206, header);
    assert.is(answer.headers.get('content-range'), `bytes ${from}-${to - 1}/200000`);
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(from, to)), header);
  }
  const beyond = await range('bytes=200000-');
  assert.is(beyond.headers.get('content-range'), 'bytes */200000');
  assert.is((await refusal(beyond)).status, 416);
  for (const odd of ['bytes=0-1,5-6', 'bytes=0-0,200001-200002', 'bytes=3-1', 'lines=0-1', 'bytes=b-a', 'bytes']) {
    const answer = await range(odd);
    assert.is(answer.status, 200, odd);
    assert.is((await answer.arrayBuffer()).byteLength, 200_000);
  }
});

it('32 MiB are stored; one byte more, announced or not, is 413, and an empty file 400 (rule B39)', async () => {
  const whole = randomBytes(32 * MIB);
  const { id } = await upload(whole, 'whole.bin');
  const back = await send(`/files/${id}/content`);
  assert.ok(Buffer.from(await back.arrayBuffer()).equals(whole));
  const more = Buffer.concat([whole, Buffer.from('x')]);
  assert.is((await refusal(await send('/files', { body: form(more) }))).status, 413);
  const announced = await send('/files', { body: form(Buffer.concat([whole, randomBytes(MIB)])) });
  assert.equal((await refusal(announced)).type, 'payload_too_large');
  assert.match((await refusal(await send('/files', { body: form('') }))).message, /^file must not be empty/);
});

it('a form that cannot be read is a 400 that names the part, and stores nothing (rule B39)', async () => {
  const { key } = await cluster.fund('1');
  const without = new FormData();
  without.set('purpose', 'batch');
  const twice = form('a');
  twice.append('file', new Blob(['b']), 'b.txt');
  const asText = new FormData();
  asText.set('file', 'text');
  const elsewhere = new FormData();
  elsewhere.set('upload', new Blob(['b']), 'b.txt');
  const cases: [FormData | string, RegExp, string?][] = [
    [without, /^file is missing/],
    [twice, /^file must be given exactly once/],
    [asText, /^file is missing/],
    [elsewhere, /^upload must not be a file/],
    [form('a', 'a', { purpose: 'nonsense' }), /^purpose must be one of/],
    [
      form('a', 'a', { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '1' }),
      /^expires_after\[seconds\]/,
    ],
    [form('a', 'a', { purpose: 'x'.repeat(2_000) }), /^purpose is longer than/],
    ['{}', /multipart\/form-data/, 'application/json'],
    ['--x\r\nnonsense', /form/, 'multipart/form-data; boundary=x'],
  ];
  for (const [body, message, type] of cases) {
    const headers = type === undefined ? {} : { 'content-type': type };
    const refused = await refusal(await send('/files', { body, headers, key }));
    assert.is(refused.status, 400, String(message));
    assert.match(refused.message, message);
  }
  assert.equal((await clientOf(key).files.list()).data, []);
});

it('expires_after shortens the lifetime, and the form may name fields behind the file (rule B37)', async () => {
  const data = new FormData();
  data.set('file', new Blob(['a']), '../..\\evil\u202e\u0007.txt');
  data.set('purpose', 'vision');
  data.set('expires_after[anchor]', 'created_at');
  data.set('expires_after[seconds]', '3600');
  const answer = await send('/files', { body: data });
  const file = (await answer.json()) as FileObject & { created_at: number };
  assert.equal([file.purpose, file.expires_at], ['vision', file.created_at + 3_600]);
  assert.not.match(file.filename as string, /[/\\\u202e]/);
});

it('a file names its bytes only under its own account and id: the stored bytes are sealed', async () => {
  const secret = `plain ${randomBytes(12).toString('hex')}`;
  await upload(secret.repeat(4_000), 'secret.txt');
  const { readdir, readFile } = await import('node:fs/promises');
  const entries = await readdir(cluster.folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const bytes = await readFile(`${entry.parentPath}/${entry.name}`);
    assert.not.ok(bytes.includes(secret), entry.name);
  }
});

it('a chat reads a stored file by its id, as data of its stored type, on any node; the id is never forwarded (rule B43)', async () => {
  const picture = await upload(PNG, 'dot.png');
  const ask = async (id: string, key = funded.key) =>
    clientOf(key, 1).chat.completions.create({
      model: 'sim/vision',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'file', file: { file_id: id } },
          ],
        },
      ],
    });
  const answer = await ask(picture.id);
  assert.match(String(answer.choices[0]?.message.content), new RegExp(`image image/png of ${PNG.length} bytes`));
  for (const [id, key] of [
    [picture.id, other.key],
    ['file_1', funded.key],
  ] as const) {
    const refused = await ask(id, key).catch((error: unknown) => error);
    assert.instance(refused, NotFoundError);
    assert.match(String(refused), /messages\[0\]\.content\[1\]\.file\.file_id names no file of this account/);
  }
  await send(`/files/${picture.id}`, { method: 'DELETE' });
  assert.instance(await ask(picture.id).catch((error: unknown) => error), NotFoundError);
});

it('a message reads a stored file by its id; one of another account is 404 in the envelope of the request', async () => {
  const picture = await upload(PNG, 'dot.png');
  const ask = (key: string, stream: boolean): Promise<Response> => {
    const image = { type: 'image', source: { type: 'file', file_id: picture.id } };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'look' }, image] }];
    return send('/messages', { body: { model: 'sim/vision', max_tokens: 50, stream, messages }, node: 2, key });
  };
  for (const stream of [false, true]) {
    const text = await (await ask(funded.key, stream)).text();
    assert.match(text, stream ? /image\/png / : new RegExp(`image image/png of ${PNG.length} bytes`));
    const refused = await ask(other.key, stream);
    assert.is(refused.status, 404);
    const body = JSON.parse(await refused.text());
    assert.equal([body.type, body.error.type], [stream ? 'error' : undefined, 'not_found_error']);
    assert.match(body.error.message, /messages\[0\]\.content\[1\]\.source\.file_id names no file of this account/);
  }
});

it('stored files of 32 MiB go out with one request; more is 413, and routing judges the stored type (rule B42)', async () => {
  const whole = await upload(Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(32 * MIB - 9)]), 'whole.pdf');
  const ask = async (...ids: readonly string[]) =>
    send('/chat/completions', {
      body: {
        model: 'sim/vision',
        messages: [{ role: 'user', content: ids.map((file_id) => ({ type: 'file', file: { file_id } })) }],
      },
    });
  const one = await upload('x', 'x.pdf');
  assert.is((await refusal(await ask(whole.id, one.id))).status, 413);
  const refused = await refusal(await ask(whole.id));
  assert.is(refused.status, 503, 'the model takes images, and this is a document');
  assert.match(refused.message, /file/);
});

test.run();
