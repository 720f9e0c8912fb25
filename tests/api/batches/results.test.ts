import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { bodies as randomBodies } from '../attacks/fuzz-bodies.ts';
import { type Asked, openApi, refusal } from '../client.ts';
import { type Batch, chat, clientOf, type Line, linesOf, submission } from './client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 180_000);
const BODIES = Number(process.env.BATCH_BODIES ?? 500);

const { cluster, funded } = await openApi(test, openCluster, '1000000');
const client = clientOf(cluster, funded.key);

const run = async (body: object, asked: Asked = {}, from = client): Promise<Batch> =>
  from.end((await from.submit(body, asked)).id);

it('results come in order, one per request, with the reply, the charge and the generation of each (rule B20, rule B28)', async () => {
  const mine = await cluster.fund('10');
  const own = clientOf(cluster, mine.key);
  const answers = ['one', 'two', 'three "quoted" \n😀', 'four'];
  const values = answers.map((text, at) => chat({ text, ttft_ms: 80 - 20 * at }));
  const headers = { 'x-title': 'Nightly', 'http-referer': 'https://nightly.example' };
  const batch = await run(submission([...values, chat({}, { temperature: 9 })]), { headers }, own);
  assert.is(batch.status, 'completed');
  assert.equal(batch.request_counts, { total: 5, completed: 4, failed: 1 });
  assert.is(batch.output_file_id, batch.results_file_id);
  const lines = linesOf(batch);
  assert.equal(
    lines.map(({ custom_id: id }) => id),
    ['r0', 'r1', 'r2', 'r3', 'r4'],
  );
  let spent = 0;
  for (const [at, { id, response, error }] of lines.entries()) {
    assert.match(id, /^breq_[0-9a-f]{32}$/);
    assert.is((response === null) !== (error === null), true, 'exactly one is given');
    if (response === null) continue;
    assert.is(response.status_code, 200);
    const body = response.body as { id: string; choices: { message: { content: string } }[]; usage: { cost: number } };
    assert.is(body.id, response.request_id);
    if (at === 0) assert.is(body.choices[0]?.message.content, answers[0]);
    spent += body.usage.cost;
    const generation = (await own.json(own.send(`/generation?id=${response.request_id}`))) as {
      data: { total_cost: number; origin?: string };
    };
    assert.is(generation.data.total_cost, body.usage.cost);
    assert.match(JSON.stringify(generation.data), /Nightly/);
    assert.match(JSON.stringify(generation.data), /nightly\.example/);
  }
  assert.equal(lines[4]?.error, {
    ...{ type: 'invalid_request', code: 400, message: 'temperature must be at most 2', param: null },
    request_id: null,
  });
  const credits = await own.dataOf<{ total_usage: number }>('/credits');
  assert.is(credits.total_usage.toFixed(15), spent.toFixed(15));
  const content = await own.send(`/files/${batch.results_file_id}/content`, { node: 1 });
  assert.is(await content.text(), batch.results);
  const file = (await own.json(own.send(`/files/${batch.results_file_id}`))) as { purpose: string; filename: string };
  assert.equal([file.purpose, file.filename], ['batch_output', `${batch.id}_results.jsonl`]);
});

it('results are null once their file is gone; the status and the counts remain (rule B30)', async () => {
  const batch = await run(submission([chat()]));
  await client.json(client.send(`/files/${batch.results_file_id}`, { method: 'DELETE' }));
  const { results, status, request_counts: counts } = await client.show(batch.id);
  assert.equal([results, status, counts], [null, 'completed', { total: 1, completed: 1, failed: 0 }]);
  const listed = (await client.json(client.send('/batches'))) as { data: Batch[] };
  assert.ok(listed.data.every((one) => one.results === null));
});

it('results larger than the pieces they are read in arrive unbroken, inline and as the file', async () => {
  const text = 'aü😀'.repeat(12_000);
  const batch = await run(submission([chat({ text }), chat({ text: `b${text}` })]));
  const contents = linesOf(batch).map(({ response }) => {
    const { choices } = (response as NonNullable<typeof response>).body as unknown as {
      choices: { message: { content: string } }[];
    };
    return choices[0]?.message.content;
  });
  assert.ok(contents[0] === text && contents[1] === `b${text}`);
  const content = await client.send(`/files/${batch.results_file_id}/content`);
  assert.ok((await content.text()) === batch.results);
});

it('a batch whose bodies all fail is failed as a whole, with a reason and a line for each (rule B4)', async () => {
  const batch = await run(submission([chat({}, { stream: true }), []]));
  assert.is(batch.status, 'failed');
  assert.equal(batch.request_counts, { total: 2, completed: 0, failed: 2 });
  const { code, message } = batch.error as { code: string; message: string };
  assert.is(code, 'invalid_request');
  assert.ok(message.length > 0);
});

it('model and provider of the batch apply to bodies that name none', async () => {
  const { messages } = chat() as { messages: unknown };
  const values = [{ messages }, chat({}, { provider: { only: ['sim-a'] } }), chat({}, { model: 'sim/tools' })];
  const batch = await run(submission(values, { model: 'sim/fast', provider: { only: ['sim-b'] } }));
  const [first, second, third] = linesOf(batch);
  assert.equal([first?.response?.body.model, second?.response?.body.model], ['sim/fast', 'sim/fast']);
  assert.not.equal(first?.response?.body.provider, second?.response?.body.provider);
  assert.match(String(third?.error?.message), /^model must be "sim\/fast"/);
});

it('cancel: the same object twice, 409 for a batch that ended otherwise, unsent requests are uncharged (rule B26)', async () => {
  const done = await run(submission([chat()]));
  const refused = await refusal(await client.send(`/batches/${done.id}/cancel`, { method: 'POST' }));
  assert.equal([refused.status, refused.type], [409, 'conflict']);
  const { id } = await client.submit(submission(Array.from({ length: 20 }, () => chat({ ttft_ms: 600_000 }))));
  const first = await client.cancel(id);
  assert.ok(['cancelling', 'cancelled'].includes(first.status), first.status);
  const ended = await client.end(id);
  assert.equal([ended.status, ended.request_counts], ['cancelled', { total: 20, completed: 0, failed: 0 }]);
  assert.equal({ ...(await client.cancel(id)), results: ended.results }, ended);
  for (const { error } of linesOf(ended)) assert.equal([error?.type, error?.code], ['batch_cancelled', null]);
});

it('the other two endpoints run their dialects, and a body fails as its route refuses it', async () => {
  const content = '@sim {"text":"hello"}';
  const responses = { model: 'sim/fast', input: content };
  const messages = { model: 'sim/fast', max_tokens: 50, messages: [{ role: 'user', content }] };
  for (const [endpoint, value, object] of [
    ['/v1/responses', responses, 'response'],
    ['/v1/messages', messages, 'message'],
  ] as const) {
    const invalid = { ...value, temperature: 'hot' };
    const [good, bad] = linesOf(await run({ ...submission([value, invalid]), endpoint }));
    for (const [line, body] of [
      [good, value],
      [bad, invalid],
    ] as const) {
      const live = await askLive(endpoint.slice(3), JSON.stringify(body));
      const { response, error } = line as Line;
      assert.is(error === null ? '200' : endOf({ ...error, status: error.code }), live, endpoint);
      assert.is(
        response === null ? null : (response.body.object ?? response.body.type),
        body === value ? object : null,
      );
    }
  }
});

it(`${BODIES} random bodies: each ends in a batch as on the live route (rule B3, rule B13)`, async () => {
  const isAsked = (text: string): boolean => {
    try {
      const value = JSON.parse(text) as { stream?: unknown } | null;
      return value !== null && value.stream !== true;
    } catch {
      return false;
    }
  };
  const sample = fc.sample(randomBodies('/chat/completions'), 2 * BODIES).map((text) => text.toWellFormed());
  const texts = sample.filter(isAsked).slice(0, BODIES);
  const requests = texts.map((text, at) => `{"custom_id":"r${at}","body":${text}}`).join(',');
  const { id } = await client.submit(`{"endpoint":"/v1/chat/completions","requests":[${requests}]}`);
  const live: string[] = [];
  const ask = async (): Promise<void> => {
    for (let at = live.length; at < texts.length; at = live.length) {
      live.push('');
      live[at] = await askLive('/chat/completions', texts[at] as string, at);
    }
  };
  await Promise.all([ask(), ask(), ask(), ask()]);
  const lines = linesOf(await client.end(id));
  const seen = new Map<string, number>();
  for (const [at, { response, error }] of lines.entries()) {
    const ended = error === null ? '200' : endOf({ status: error.code, type: error.type, message: error.message });
    assert.is(ended, live[at], texts[at]);
    const status = response === null ? String(error?.code) : '200';
    seen.set(status, (seen.get(status) ?? 0) + 1);
  }
  for (const status of ['200', '400', '404', '503']) assert.ok(seen.has(status), JSON.stringify([...seen]));
});

/** How a body ends on its live route: 200, or the refusal. */
async function askLive(path: string, body: string, node = 0): Promise<string> {
  const answer = await client.send(path, { body, node });
  if (answer.status !== 200) return endOf(await refusal(answer));
  await answer.text();
  return '200';
}

function endOf({ status, type, message }: { status: number | null; type: string; message: string }): string {
  return `${status} ${type} ${message}`;
}

test.run();
