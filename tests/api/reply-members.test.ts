import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { startScriptedProvider } from '../support/provider/scripted-provider.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';
import { openApi } from './client.ts';

const it = bounded(test);

const provider = await startScriptedProvider();
const open = () =>
  startCluster({
    rates: { keyPerMinute: 100_000 },
    edge: { streamBufferBytesMax: 64 * 1024, streamStalledMs: 700 },
    providers: [simulatedProvider('sim-c', provider.baseUrl)],
  });
const { cluster, send } = await openApi(test, open, '1000');
test.after(() => provider.close());

function ask(members: object, signal?: AbortSignal): Promise<Response> {
  const body = { messages: [{ role: 'user', content: 'hello' }], ...members };
  return send('/chat/completions', { body, ...(signal ? { signal } : {}) });
}

interface Message {
  readonly content?: string | null;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly Record<string, unknown>[];
  readonly images?: readonly object[];
  readonly audio?: Readonly<Record<string, unknown>>;
  readonly logprobs?: object;
}

/** Sets the next whole reply to this message, and the next stream to these deltas, one frame each. */
function script(message: object, deltas: readonly object[], usage: object = USAGE): void {
  provider.answer = ({ stream, response }) => {
    if (!stream) {
      response.writeHead(200, { 'content-type': 'application/json' });
      const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' };
      response.end(JSON.stringify({ id: 'up-1', choices: [choice], usage }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const frame = (chunk: object): string => `data: ${JSON.stringify({ id: 'up-1', ...chunk })}\n\n`;
    for (const delta of deltas) response.write(frame({ choices: [{ index: 0, delta, finish_reason: null }] }));
    response.write(frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    response.end(`${frame({ choices: [], usage })}data: [DONE]\n\n`);
  };
}

const USAGE = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };

async function whole(body: object): Promise<{ message: Message; usage: Record<string, unknown>; id: string }> {
  const answer = await ask(body);
  assert.is(answer.status, 200, await answer.clone().text());
  const reply = (await answer.json()) as {
    id: string;
    choices: { message: Message }[];
    usage: Record<string, unknown>;
  };
  return { message: reply.choices[0]?.message as Message, usage: reply.usage, id: reply.id };
}

async function deltas(body: object): Promise<Message[]> {
  const answer = await ask({ ...body, stream: true });
  assert.is(answer.status, 200);
  const chunks = (await answer.text())
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)) as { choices: { delta: Message }[] });
  return chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
}

it('reasoning details arrive whole and in fragments, and reasoning.exclude hides them (rule I47)', async () => {
  const details = [
    { type: 'reasoning.text', index: 0, text: 'fir' },
    { type: 'reasoning.text', index: 0, text: 'st', signature: 'sig' },
  ];
  script(
    { content: 'x', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'first', signature: 'sig' }] },
    [{ reasoning_details: [details[0]] }, { reasoning_details: [details[1]] }, { content: 'x' }],
    { ...USAGE, completion_tokens_details: { reasoning_tokens: 4 } },
  );
  const body = { model: 'sim/thinker' };
  const { message } = await whole(body);
  assert.is(message.reasoning_details?.[0]?.text, 'first');
  assert.is(message.reasoning_details?.[0]?.signature, 'sig');
  const streamed = (await deltas(body)).flatMap((delta) => delta.reasoning_details ?? []);
  assert.is(streamed.map(({ text }) => text ?? '').join(''), 'first');
  assert.is(streamed.find(({ signature }) => signature)?.signature, 'sig');

  const hidden = await whole({ ...body, reasoning: { exclude: true } });
  assert.not.ok('reasoning_details' in hidden.message || 'reasoning' in hidden.message);
  assert.equal(hidden.usage.completion_tokens_details, { reasoning_tokens: 4 });
  for (const delta of await deltas({ ...body, reasoning: { exclude: true } })) {
    assert.not.ok('reasoning_details' in delta || 'reasoning' in delta);
  }
});

/** Eight grey pixels, so that its size can be read. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAAAAABq4MmuAAAAC0lEQVR4nGNoYAAAAIIAgYDSKhYAAAAASUVORK5CYII=';

it('a generated image arrives whole in both forms, even larger than the stream buffer; without text the content is empty (rule I48)', async () => {
  const url = `data:image/png;base64,${PNG}`;
  const large = `data:image/png;base64,${PNG.slice(0, -8)}${'A'.repeat(300_000)}`;
  for (const each of [url, large]) {
    const images = [{ type: 'image_url', image_url: { url: each }, index: 0 }];
    script({ content: null, images }, [{ images }]);
    const body = { model: 'sim/painter', modalities: ['image', 'text'] };
    const { message } = await whole(body);
    assert.is(message.content, '');
    assert.equal(message.images, images);
    const streamed = (await deltas(body)).flatMap((delta) => delta.images ?? []);
    assert.is(JSON.stringify(streamed), JSON.stringify(images));
  }
});

it('speech arrives whole, or in fragments that concatenate (rule I48)', async () => {
  const pieces = [
    { audio: { id: 'audio_1', transcript: 'hel' } },
    { audio: { data: 'AAAA' } },
    { audio: { data: 'BBBB', transcript: 'lo' } },
    { audio: { expires_at: 1_790_000_000 } },
  ];
  const audio = { id: 'audio_1', data: 'AAAABBBB', expires_at: 1_790_000_000, transcript: 'hello' };
  script({ content: null, audio }, pieces);
  const body = { model: 'sim/speaker', modalities: ['text', 'audio'], audio: { voice: 'alto', format: 'wav' } };
  const { message } = await whole(body);
  assert.equal(message.audio, audio);
  const streamed = (await deltas(body)).flatMap((delta) => (delta.audio ? [delta.audio] : []));
  const joined = (member: string): string => streamed.map((piece) => piece[member] ?? '').join('');
  assert.is(joined('data'), 'AAAABBBB');
  assert.is(joined('transcript'), 'hello');
  assert.is(joined('id'), 'audio_1');
});

it('a reader that reads nothing holds the provider back, and is cut (rule E30)', async () => {
  const piece = JSON.stringify({
    choices: [{ index: 0, delta: { content: 'x'.repeat(16_000) }, finish_reason: null }],
  });
  let sent = 0;
  let ended = false;
  provider.answer = ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.once('close', () => {
      ended = true;
    });
    const more = (): void => {
      while (!ended) {
        sent += piece.length;
        if (!response.write(`data: ${piece}\n\n`)) return void response.once('drain', more);
      }
    };
    more();
  };
  const answer = await ask({ model: 'sim/thinker', stream: true, max_tokens: 1_000 });
  const reader = answer.body?.getReader();
  await reader?.read();
  let before = -1;
  // If two samples show no bytes sent between them, every buffer on the way is full.
  while (before !== sent && !ended) {
    before = sent;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were taken from the provider`);
  while (!ended) await new Promise((resolve) => setTimeout(resolve, 20));
  while ((cluster.nodes[0]?.gauges.requestsUnderWay ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await reader?.cancel().catch(() => {});
  const data = await generation(answer.headers.get('x-generation-id') as string, ({ status }) => status === 'settled');
  assert.is(data.cancelled, true);
});

async function generation(
  id: string,
  until: (data: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  for (;;) {
    const answer = await send(`/generation?id=${id}`);
    const { data } = (await answer.json()) as { data?: Record<string, unknown> };
    if (data && until(data)) return data;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it('GET /generation shows the full trace of a request that moved to another endpoint (rule I141)', async () => {
  const directive = { id: `trace-${Date.now()}`, only_on: 'sim-a', status: 500, tokens: 3 };
  const { id } = await whole({
    model: 'sim/fast',
    messages: [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }],
    provider: { order: ['sim-a'] },
    temperature: 0.5,
    metadata: { trace: 't1' },
  });
  const data = await generation(id, ({ status }) => status === 'settled');
  const attempts = data.provider_responses as {
    outcome: string;
    reason?: string;
    status: number;
    provider_name: string;
  }[];
  assert.equal(
    attempts.map(({ provider_name, outcome, reason, status }) => [provider_name, outcome, reason ?? null, status]),
    [
      ['Sim A', 'failed', 'unavailable', 500],
      ['Sim A', 'failed', 'unavailable', 500],
      ['Sim B', 'served', null, 200],
    ],
  );
  const { candidates } = data.route as { candidates: { endpoint: string }[] };
  assert.equal(
    candidates.map(({ endpoint }) => endpoint.split('/')[0]),
    ['sim-a', 'sim-b'],
  );
  assert.is((data.holds as unknown[]).length, 2);
  assert.equal(data.honoured, { temperature: true });
  assert.equal(data.metadata, { trace: 't1' });
  const { admitted, first_part, total } = data.timings as { admitted: number; first_part: number; total: number };
  assert.ok(admitted >= 0 && admitted <= first_part && first_part <= total);
});

it('members that nothing reads are named on the answer, whole or streamed, and on the record (rule I2)', async () => {
  script({ content: 'hi' }, [{ content: 'hi' }]);
  const misspelled = { temprature: 1, 'x-y\n': 1, absent: null, max_token: 5, temperature: 0.5 };
  for (const stream of [false, true]) {
    const answer = await ask({ model: 'sim/fast', stream, ...misspelled });
    assert.is(answer.status, 200);
    await answer.text();
    assert.is(answer.headers.get('x-unread-members'), 'temprature, max_token');
    const id = answer.headers.get('x-generation-id');
    const record = await send(`/generation?id=${id}`);
    const { data } = (await record.json()) as { readonly data: { readonly unread_members: readonly string[] } };
    assert.equal(data.unread_members, ['temprature', 'max_token']);
  }
  const plain = await ask({ model: 'sim/fast', stream_options: { include_usage: true } });
  await plain.text();
  assert.is(plain.headers.get('x-unread-members'), null);
});

test.run();
