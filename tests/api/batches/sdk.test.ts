import OpenAI, { BadRequestError, ConflictError, NotFoundError, toFile } from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { CHAT, chat, type Line } from './client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test, 120_000);

const { cluster, funded } = await openApi(test, openCluster);

const sdk = (node = 0, key = funded.key): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: cluster.baseUrls[node] as string, maxRetries: 0 });

const jsonl = (bodies: readonly object[], more: object = {}): string =>
  bodies
    .map((body, at) => JSON.stringify({ custom_id: `r${at}`, method: 'POST', url: CHAT, body, ...more }))
    .join('\n');

const upload = async (text: string, purpose: 'batch' | 'user_data' = 'batch'): Promise<string> =>
  (await sdk().files.create({ file: await toFile(Buffer.from(text), 'requests.jsonl'), purpose })).id;

const create = (fileId: string, key?: string) =>
  sdk(1, key).batches.create({ input_file_id: fileId, endpoint: CHAT, completion_window: '24h', metadata: { a: 'b' } });

async function refused(work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, OpenAI.APIError);
  return error as InstanceType<typeof OpenAI.APIError>;
}

it('the OpenAI SDK uploads a file, makes a batch of it, follows it, lists it and reads its results (rule B35)', async () => {
  const batch = await create(await upload(`${jsonl([chat({ text: 'one' }), chat({ text: 'two' })])}\n\r\n`));
  assert.equal([batch.object, batch.status, batch.endpoint], ['batch', 'validating', CHAT]);
  let ended = batch;
  while (ended.status !== 'completed') {
    assert.ok(['validating', 'in_progress'].includes(ended.status), ended.status);
    await new Promise((resolve) => setTimeout(resolve, 20));
    ended = await sdk(2).batches.retrieve(batch.id);
  }
  assert.equal(ended.request_counts, { total: 2, completed: 2, failed: 0 });
  const content = await sdk().files.content(ended.output_file_id as string);
  const lines = (await content.text()).trimEnd().split('\n');
  const texts = lines
    .map((line) => JSON.parse(line) as Line)
    .map(({ custom_id, response }) => {
      const { choices } = (response as NonNullable<Line['response']>).body as unknown as {
        choices: { message: { content: string } }[];
      };
      return [custom_id, choices[0]?.message.content];
    });
  assert.equal(texts, [
    ['r0', 'one'],
    ['r1', 'two'],
  ]);
  const second = await create(await upload(jsonl([chat()])));
  const walked: string[] = [];
  for await (const one of sdk().batches.list({ limit: 1 })) walked.push(one.id);
  assert.equal(walked, [second.id, batch.id]);
});

it('the OpenAI SDK cancels a batch; one that completed is a conflict', async () => {
  const slow = await create(await upload(jsonl([chat({ ttft_ms: 600_000 })])));
  const cancelled = await sdk(2).batches.cancel(slow.id);
  assert.ok(['cancelling', 'cancelled'].includes(cancelled.status));
  const { data } = await sdk().batches.list();
  const completed = data.find(({ status }) => status === 'completed');
  assert.instance(await refused(sdk().batches.cancel(completed?.id as string)), ConflictError);
  assert.instance(await refused(sdk().batches.retrieve('batch_1')), NotFoundError);
});

it('an input file that cannot be used is refused by its line, and belongs to its account alone (rule B8)', async () => {
  const good = jsonl([chat()]);
  const cases: readonly (readonly [string, RegExp])[] = [
    [`${good}\nnot json`, /line 2 of the input file: The body is not valid JSON/],
    [`${good}\n[1]`, /line 2 of the input file is not a JSON object/],
    [`${good}\n${good}`, /line 2 of the input file: custom_id repeats "r0"/],
    [jsonl([chat()], { url: '/v1/messages' }), /line 1 of the input file: url must be/],
    [jsonl([chat()], { method: 'GET' }), /line 1 of the input file: method must be/],
    [jsonl([chat()], { custom_id: undefined }), /line 1 of the input file: request\.custom_id is required/],
    [' \n \n', /the input file has no request/],
    [jsonl(Array.from({ length: 1_001 }, () => chat())), /more than 1000 requests/],
  ];
  for (const [text, message] of cases) {
    const error = await refused(create(await upload(text)));
    assert.instance(error, BadRequestError);
    assert.match(error.message, message);
  }
  const other = await upload(good, 'user_data');
  assert.match((await refused(create(other))).message, /purpose batch/);
  const mine = await upload(good);
  const stranger = (await cluster.fund('1')).key;
  for (const [id, key] of [
    [mine, stranger],
    ['file_1', funded.key],
  ] as const) {
    const error = await refused(create(id, key));
    assert.instance(error, NotFoundError);
    assert.match(error.message, /input_file_id names no file of this account/);
  }
  const broken = await create(await upload(`${good}\n{"custom_id":"b","body":{"model":"sim/fast","model":1}}`));
  assert.is(broken.request_counts?.total, 2, 'a defect of one body fails that body alone');
});

test.run();
