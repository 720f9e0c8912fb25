import { imageSize } from 'image-size';
import { parseBuffer } from 'music-metadata';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim-c' });
});
test.after(() => simulator.close());

type Members = Record<string, unknown>;
interface Piece extends Members {
  readonly data?: string;
  readonly transcript?: string;
}
interface Said extends Members {
  readonly content: string | null;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly Members[];
  readonly images?: readonly { readonly image_url: { readonly url: string } }[];
  readonly audio?: Piece;
}
interface Reply {
  readonly choices: readonly {
    readonly message: Said;
    readonly delta: Said;
    readonly logprobs?: { readonly content: readonly Members[] };
  }[];
  readonly usage?: Members & { readonly completion_tokens_details?: Members; readonly prompt_tokens_details?: Members };
}

function send(path: string, body: object): Promise<Response> {
  return fetch(simulator.baseUrl + path, {
    method: 'POST',
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5_000),
  });
}
function requestOf(model: string, members: object, content: unknown = 'hello'): object {
  return { model, messages: [{ role: 'user', content }], ...members };
}
async function whole(model: string, members: object = {}, content?: unknown): Promise<Reply> {
  return (await (await send('/chat/completions', requestOf(model, members, content))).json()) as Reply;
}
/** The chunks of a stream that ends cleanly. */
async function streamed(model: string, members: object = {}): Promise<readonly Reply[]> {
  const text = await (await send('/chat/completions', requestOf(model, { ...members, stream: true }))).text();
  const data = text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => frame.slice('data: '.length));
  assert.is(data.at(-1), '[DONE]');
  return data.slice(0, -1).map((each) => JSON.parse(each) as Reply);
}
const deltas = (chunks: readonly Reply[]): readonly Said[] =>
  chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
const bytesOf = (url = ''): Buffer => Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
const messageOf = (reply: Reply): Said => reply.choices[0]?.message as Said;

it('a model reasons as long as the effort requires, and not at all with effort none', async () => {
  const thought = async (members: object): Promise<unknown> =>
    (await whole('sim/thinker', members)).usage?.completion_tokens_details?.reasoning_tokens;
  assert.is(await thought({ reasoning_effort: 'low' }), 8);
  assert.is(await thought({ reasoning: { effort: 'high' } }), 32);
  assert.is(await thought({ reasoning: { max_tokens: 20, effort: 'xhigh' } }), 20);
  assert.is(await thought({ reasoning_effort: 'none' }), undefined);
  assert.is(await thought({ reasoning: { enabled: false } }), undefined);
  const reasoner = await whole('sim/reasoner', { reasoning_effort: 'none' });
  assert.is(messageOf(reasoner).reasoning_content, undefined);
});

it('the fragments of a structured entry add up to the entry of a whole answer, the last with its signature', async () => {
  const [entry, sealed] = messageOf(await whole('sim/thinker')).reasoning_details ?? [];
  const fragments = deltas(await streamed('sim/thinker')).flatMap(({ reasoning_details = [] }) => reasoning_details);
  const first = fragments.filter(({ index }) => index === 0);
  assert.is(first.map(({ text }) => text).join(''), entry?.text);
  assert.equal(
    first.map(({ signature }) => signature !== undefined),
    first.map((_, at) => at === first.length - 1),
  );
  assert.equal(
    fragments.find(({ index }) => index === 1),
    sealed,
  );
  assert.is(sealed?.type, 'reasoning.encrypted');
});

it('a picture is a real PNG of the requested size, whole or streamed, and absent if only text is requested', async () => {
  const image_config = { size: '64x48', n: 2 };
  const drawn = await whole('sim/painter', { image_config });
  const urls = messageOf(drawn).images?.map(({ image_url }) => image_url.url) ?? [];
  assert.is(urls.length, 2);
  assert.is.not(urls[0], urls[1]);
  for (const url of urls) {
    const { type, width, height } = imageSize(bytesOf(url));
    assert.equal([type, width, height], ['png', 64, 48]);
  }
  assert.is(messageOf(drawn).content, null);
  assert.is(drawn.usage?.completion_tokens_details?.image_tokens, 2 * 258);
  const [one] = deltas(
    await streamed('sim/painter', { image_config: { resolution: '1K', aspect_ratio: '16:9' } }),
  ).flatMap(({ images = [] }) => images);
  const { width, height } = imageSize(bytesOf(one?.image_url.url));
  assert.ok(Math.abs(width / height - 16 / 9) < 0.01, `${width}x${height}`);
  assert.is(messageOf(await whole('sim/painter', { modalities: ['text'] })).images, undefined);
});

it('speech is a real recording of its length, whole and in fragments', async () => {
  const speech = { modalities: ['text', 'audio'], audio: { voice: 'alto', format: 'wav' } };
  const audio = messageOf(await whole('sim/speaker', speech)).audio as Piece;
  const { format } = await parseBuffer(bytesOf(audio.data), { mimeType: 'audio/wav' });
  assert.is(format.duration, 1);
  assert.is(format.sampleRate, 24_000);
  assert.match(audio.transcript ?? '', /^sim-c:\d+ x1 /);
  const pieces = deltas(
    await streamed('sim/speaker', { ...speech, audio: { voice: 'alto', format: 'pcm16' } }),
  ).flatMap(({ audio: piece }) => (piece === undefined ? [] : [piece]));
  assert.ok(pieces.length > 8);
  const joined = pieces.map(({ data = '' }) => data).join('');
  assert.is(bytesOf(joined).length, 24_000 * 2);
  assert.is(Buffer.concat(pieces.map(({ data }) => bytesOf(data))).length, 24_000 * 2, 'each piece decodes by itself');
  assert.ok(pieces.some(({ expires_at }) => Number(expires_at) > 1_700_000_000));
});

it('a JSON schema is followed', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      degrees: { type: 'number', minimum: 5 },
      sky: { enum: ['clear', 'grey'] },
      hours: { type: 'array', items: { $ref: '#/$defs/hour' }, minItems: 2 },
    },
    $defs: { hour: { type: 'object', properties: { at: { type: 'integer' } } } },
  };
  const response_format = { type: 'json_schema', json_schema: { name: 'weather', schema } };
  const expected = { city: 'x', degrees: 5, sky: 'clear', hours: [{ at: 1 }, { at: 1 }] };
  assert.equal(JSON.parse(messageOf(await whole('sim/structured', { response_format })).content ?? ''), expected);
  const text = deltas(await streamed('sim/structured', { response_format })).map(({ content }) => content ?? '');
  assert.equal(JSON.parse(text.join('')), expected);
});

it('log probabilities have one entry per chunk with the requested alternatives', async () => {
  const members = { logprobs: true, top_logprobs: 3 };
  const [choice] = (await whole('sim/structured', members)).choices;
  assert.is(choice?.logprobs?.content.length, 12);
  const [first = {}] = choice?.logprobs?.content ?? [];
  assert.is((first.top_logprobs as unknown[]).length, 3);
  const content = (await streamed('sim/structured', members)).flatMap(
    ({ choices }) => choices[0]?.logprobs?.content ?? [],
  );
  assert.is(content.length, 12);
  assert.is((await whole('sim/structured')).choices[0]?.logprobs, undefined);
});

it('an answer lists the media of its request', async () => {
  const data = `data:image/png;base64,${Buffer.alloc(10).toString('base64')}`;
  const content = [
    { type: 'text', text: 'look' },
    { type: 'image_url', image_url: { url: data } },
    { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
    { type: 'input_audio', input_audio: { data: Buffer.alloc(4).toString('base64'), format: 'wav' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
  ];
  assert.match(
    messageOf(await whole('sim/vision', {}, content)).content ?? '',
    /sees image image\/png of 10 bytes, image at https:\/\/x\.test\/a\.png, audio audio\/wav of 4 bytes, file application\/pdf of 3 bytes$/,
  );
});

it('half of a prompt with a known beginning is read from the cache; the first was written to it', async () => {
  const content = 'a beginning that is unique here, long enough to count';
  const [first, second] = [await whole('sim/tiered', {}, content), await whole('sim/tiered', {}, content)];
  const half = Math.floor(Number(first.usage?.prompt_tokens) / 2);
  assert.equal(first.usage?.prompt_tokens_details, { cache_write_tokens: half });
  assert.equal(second.usage?.prompt_tokens_details, { cached_tokens: half });
});

it('a refusal replaces the answer', async () => {
  const members = { stream: true };
  const content = '@sim {"refusal":"I would rather not."}';
  assert.is(messageOf(await whole('sim/fast', {}, content)).refusal, 'I would rather not.');
  const text = await (await send('/chat/completions', requestOf('sim/fast', members, content))).text();
  const refused = text.split('\n\n').filter((frame) => frame.startsWith('data: {'));
  const joined = refused.flatMap((frame) =>
    (JSON.parse(frame.slice(6)) as Reply).choices.map(({ delta }) => delta.refusal ?? ''),
  );
  assert.is(joined.join(''), 'I would rather not.');
});

interface MessagesFrame extends Members {
  readonly type: string;
  readonly index?: number;
  readonly delta?: Members;
  readonly content_block?: Members;
  readonly message?: { readonly usage: Members };
  readonly usage?: Members;
}

/** Frames of a messages stream; event names must equal their types. */
async function messagesStream(body: object): Promise<readonly MessagesFrame[]> {
  const text = await (await send('/messages', { ...body, stream: true })).text();
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => {
      const [event = '', data = ''] = frame.split('\n');
      const parsed = JSON.parse(data.slice('data: '.length)) as MessagesFrame;
      assert.is(event, `event: ${parsed.type}`);
      return parsed;
    });
}

it('the messages dialect: blocks in order, named events, input counted without the cache', async () => {
  const body = { model: 'thinker-d', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] };
  const reply = (await (await send('/messages', body)).json()) as {
    content: readonly Members[];
    usage: Members;
    stop_reason: string;
  };
  assert.equal(
    reply.content.map(({ type }) => type),
    ['thinking', 'text'],
  );
  assert.is(reply.stop_reason, 'end_turn');
  assert.equal(Object.keys(reply.usage).slice(0, 3), [
    'input_tokens',
    'cache_creation_input_tokens',
    'cache_read_input_tokens',
  ]);
  const frames = await messagesStream(body);
  assert.equal(
    frames.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]),
    [
      ...['message_start', 'ping', 'content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_stop', 'message_delta', 'message_stop'],
    ],
  );
  const of = (type: string, member: string): string =>
    frames.flatMap(({ delta }) => (delta?.type === type ? [delta[member]] : [])).join('');
  assert.is(of('thinking_delta', 'thinking'), reply.content[0]?.thinking);
  assert.is(of('signature_delta', 'signature'), reply.content[0]?.signature);
  assert.match(of('text_delta', 'text'), /^sim-c:\d+ x1 /);
});

it('the messages dialect: the input count excludes the cache', async () => {
  const body = {
    model: 'scribe-2026',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'once more, a beginning of its own' }],
  };
  const usages = [];
  for (let nth = 0; nth < 2; nth++)
    usages.push(((await (await send('/messages', body)).json()) as { usage: Members }).usage);
  const [first, second] = usages as [Members, Members];
  assert.is(
    Number(first.input_tokens) + Number(first.cache_creation_input_tokens),
    Number(second.input_tokens) + Number(second.cache_read_input_tokens),
  );
  assert.ok(Number(first.cache_creation_input_tokens) > 0);
  assert.is(first.cache_read_input_tokens, 0);
  const frames = await messagesStream(body);
  assert.ok(Number(frames[0]?.message?.usage.cache_read_input_tokens) > 0);
  assert.is(frames.at(-2)?.usage?.output_tokens, 9);
  assert.is(frames.at(-2)?.delta?.stop_reason, 'max_tokens');
});

it('the messages dialect: tools, pictures, results and errors for missing members', async () => {
  const tools = [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }];
  const body = { model: 'scribe-2026', max_tokens: 50, tools, tool_choice: { type: 'any' } };
  const messages = [
    { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }] },
  ];
  const called = (await (await send('/messages', { ...body, messages })).json()) as {
    content: readonly Members[];
    stop_reason: string;
  };
  assert.is(called.stop_reason, 'tool_use');
  assert.equal([called.content[0]?.name, called.content[0]?.input], ['weather', { city: 'x' }]);
  const frames = await messagesStream({ ...body, messages });
  const json = frames.flatMap(({ delta }) => (delta?.type === 'input_json_delta' ? [delta.partial_json] : [])).join('');
  assert.equal(JSON.parse(json), { city: 'x' });
  const seen = (await (await send('/messages', { ...body, tool_choice: { type: 'none' }, messages })).json()) as {
    content: readonly Members[];
  };
  assert.match(String(seen.content[0]?.text), /sees image image\/png of 3 bytes/);
  assert.is((await send('/messages', { model: 'x', messages })).status, 400);
});

it('the messages dialect: failures have its own form', async () => {
  const failed = async (directive: object): Promise<Response> =>
    send('/messages', {
      model: 'x',
      max_tokens: 9,
      messages: [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }],
    });
  const busy = await failed({ status: 529 });
  assert.is(busy.status, 529);
  assert.equal(((await busy.json()) as Members).type, 'error');
  const usage = ((await (await failed({ garbage: 'negative-usage' })).json()) as { usage: Members }).usage;
  assert.equal(usage, { input_tokens: -5, output_tokens: -7 });
});

it('one process serves other providers below their slugs, each model as its document declares', async () => {
  const origin = simulator.baseUrl.replace('/v1', '');
  const call = async (path: string, body?: object): Promise<Response> =>
    fetch(origin + path, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  const listed = (await (await call('/aster/v1/models')).json()) as { data: { id: string; owned_by: string }[] };
  assert.ok(listed.data.some(({ id, owned_by }) => id === 'aster-4-large' && owned_by === 'aster'));
  const say = async (model: string, members: object = {}): Promise<Said> => {
    const body = requestOf(model, members);
    return messageOf((await (await call('/aster/v1/chat/completions', body)).json()) as Reply);
  };
  assert.match(String((await say('gale-8b')).content), /^aster:\d+ x1 /);
  assert.match(String((await say('meridian-reason-1')).reasoning), /^r1 /);
  const drawn = await say('lumen-draw-1', { modalities: ['image', 'text'], image_config: { size: '256x256' } });
  assert.is(imageSize(bytesOf(drawn.images?.[0]?.image_url.url)).width, 256);
  assert.is((await call('/dune/v1/models')).status, 404, 'another process serves it');
  assert.is((await call('/__proto__/v1/models')).status, 404);
});

test.run();
