import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyStoreUnreachable, systemClock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { DIALECTS } from '../../../../gateway/dialects/dialect-table.ts';
import { type LineDefaults, readLineBody } from '../../../../gateway/jobs/batch/line-body.ts';
import { JsonScan } from '../../../../gateway/json/json-scan.ts';
import { parseWhole } from '../../../../gateway/json/parse-whole.ts';
import { loopWork } from '../../../../gateway/overload/loop-work.ts';
import { CallerLeft, GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bodies } from '../../../api/attacks/fuzz-bodies.ts';
import { bounded } from '../../../support/bounded.ts';
import { CHAT, openStage } from './stage.ts';

const it = bounded(test);
const BODIES = 500;
const chat = (members: object = {}) => ({ model: 'sim/fast', messages: [{ role: 'user', content: 'hi' }], ...members });
const submission = (texts: readonly string[], members: object = {}): string => {
  const requests = texts.map((text, at) => `{"custom_id":"r${at}","body":${text}}`);
  return `{"endpoint":"${CHAT}",${JSON.stringify(members).slice(1, -1)}${Object.keys(members).length ? ',' : ''}"requests":[${requests}]}`;
};
const submit = (values: readonly unknown[], members: object = {}): string =>
  submission(
    values.map((value) => JSON.stringify(value)),
    members,
  );

/** What the live route does with a body before it asks a model: the refusal, or null. */
function live(text: string): { readonly type: string; readonly code: number; readonly message: string } | null {
  const bytes = Buffer.from(text);
  const scan = new JsonScan({ depthMax: config.edge.bodyDepthMax, tokensMax: config.edge.bodyTokensMax });
  assert.ok(scan.feed(bytes));
  try {
    DIALECTS.chat.parse(parseWhole(bytes, scan.members), null);
    return null;
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { type: thrown.type, code: thrown.status, message: thrown.message };
    throw thrown;
  }
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

it(`of ${BODIES} random bodies exactly those fail that the live route refuses, with its error (rule B3)`, async () => {
  const stage = openStage();
  const sample = fc.sample(bodies('/chat/completions'), 2 * BODIES).map((text) => text.toWellFormed());
  // What is no JSON value refuses the whole submission; a body that asks for a stream is refused by the batch.
  const texts = sample.filter((text) => isJson(text) && !/"stream":true/.test(text)).slice(0, BODIES);
  assert.ok(texts.length > BODIES / 2);
  const batch = await stage.seal(submission(texts));
  const lines = await stage.linesOf(batch);
  let refused = 0;
  for (const [at, line] of lines.entries()) {
    const expected = live(texts[at] as string);
    if (expected !== null) refused++;
    if (expected === null) assert.equal(JSON.parse(line as string), JSON.parse(texts[at] as string));
    else assert.equal(line, { ...expected, param: null }, texts[at]);
  }
  assert.ok(refused > 20 && refused < texts.length - 20, `${refused} of ${texts.length}`);
});

it('what is JSON, but not acceptable JSON, fails its body alone, as on the live route', async () => {
  const texts = ['{"a":1,"a":2}', '{"a":"\\ud83d"}', '{"\\udc00":1}', '{"a":{"b":[1e400]}}', JSON.stringify(chat())];
  const stage = openStage();
  const lines = await stage.linesOf(await stage.seal(submission(texts)));
  for (const [at, line] of lines.entries()) {
    const expected = live(texts[at] as string);
    if (at === 4) assert.is(line, texts[4]);
    else assert.equal(line, { ...expected, param: null });
  }
});

it('bodies are sealed in order, each at its place, under this batch of this account only (rule B48)', async () => {
  const stage = openStage();
  const values = [chat({ user: 'ü😀' }), chat({ temperature: 3 }), chat({ seed: 7 })];
  const batch = await stage.seal(submit(values, { model: 'sim/fast', provider: { only: ['sim-a'] } }));
  assert.equal(
    batch.lines.map(({ customId }) => customId),
    ['r0', 'r1', 'r2'],
  );
  const [first, second, third] = await stage.linesOf(batch);
  assert.equal([JSON.parse(first as string), JSON.parse(third as string)], [values[0], values[2]]);
  const message = 'temperature must be at most 2';
  assert.equal(second, { type: 'invalid_request', code: 400, message, param: null });
  assert.equal([batch.model, batch.provider, batch.endpoint], ['sim/fast', { only: ['sim-a'] }, CHAT]);
  const moved = await stage.linesOf({ ...batch, account: 'acct_2' }).catch((error: Error) => error.name);
  assert.is(moved, 'SealBroken');
});

it('stream, store and another model are refused in one body alone; all refused leaves no bodies (rule B5)', async () => {
  const stage = openStage();
  const values = [
    chat({ stream: true }),
    chat({ store: true }),
    chat({ model: 'sim/tools' }),
    chat({ models: ['x/y'] }),
    [],
  ];
  const batch = await stage.seal(submit(values, { model: 'sim/fast' }));
  assert.is(batch.bodies, null);
  const lines = (await stage.linesOf(batch)) as readonly { readonly message: string; readonly code: number }[];
  assert.equal(
    lines.map(({ code, message }) => `${code} ${message}`),
    [
      '400 stream must be false or absent in a batch',
      '400 store must be false: nothing is stored',
      '400 model must be "sim/fast", the model of the batch, or absent',
      '400 model must be "sim/fast", the model of the batch, or absent',
      '400 The request body must be a JSON object',
    ],
  );
  const fine = await stage.seal(submit([chat({ stream: false, store: false }), chat({ stream: null })]));
  assert.ok(fine.lines.every((line) => !('refused' in line)));
});

it('a body without model or provider gets those of the batch; null counts as absent (rule B5)', async () => {
  const defaults: LineDefaults = { endpoint: CHAT, model: 'sim/fast', provider: { allow_fallbacks: false } };
  const read = async (body: object, given = defaults): Promise<unknown> => {
    const text = Buffer.from(JSON.stringify(body));
    return (await readLineBody(text, given, { limits: config.edge, loop: loopWork(systemClock) })).body;
  };
  const both = { model: 'sim/fast', provider: { allow_fallbacks: false } };
  assert.equal(await read({}), both);
  assert.equal(await read({ model: null, provider: null }), both);
  assert.equal(await read({ models: [] }), { ...both, models: [] });
  assert.equal(await read({ models: ['a/b'], provider: {} }), { models: ['a/b'], provider: {} });
  assert.equal(await read({ model: 'a/b' }), { model: 'a/b', provider: both.provider });
  assert.equal(await read({ user: 'x' }, { endpoint: CHAT, model: null, provider: null }), { user: 'x' });
  const stage = openStage();
  const { messages } = chat();
  const batch = await stage.seal(submit([{ messages }], { model: 'sim/fast' }));
  assert.equal(await stage.linesOf(batch), [JSON.stringify({ messages })], 'stored as submitted');
  const [line] = await stage.linesOf(await stage.seal(submit([{ messages }])));
  assert.is((line as { readonly message: string }).message, 'model is required');
});

it('a body has the bounds of a live body: size, depth and tokens fail it alone', async () => {
  const stage = openStage();
  const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) as unknown;
  const limits = { bodyBytesMax: 2_000, bodyDepthMax: 64, bodyTokensMax: 500 };
  const values = [
    chat({ user: 'x'.repeat(2_000) }),
    chat({ metadata: { deep } }),
    chat({ stop: Array(600).fill(1) }),
    chat(),
  ];
  const lines = await stage.linesOf(await stage.seal(submit(values), { limits }));
  const messages = lines.map((line) =>
    typeof line === 'string' ? 'valid' : `${line.code} ${line.type}: ${line.message}`,
  );
  assert.equal(messages, [
    '413 payload_too_large: The body is larger than 2000 bytes',
    '400 invalid_request: The body is nested too deeply: in more than 64 levels',
    '400 invalid_request: The body has more than 500 brackets, braces, colons and commas',
    'valid',
  ]);
});

it('1,000 long refusals with 1,000 long names fit one envelope: messages are cut, types and codes are not', async () => {
  const stage = openStage();
  const long = `"\u0001${'字'.repeat(254)}`;
  const values = Array.from({ length: 1_000 }, () =>
    chat({ tool_choice: long.repeat(2), [long]: 1, response_format: { type: long } }),
  );
  const requests = values.map((body, at) => ({ custom_id: `${'😀'.repeat(124)}${at}`, body }));
  const provider = { only: Array.from({ length: 100 }, () => '字'.repeat(256)) };
  const batch = await stage.seal(JSON.stringify({ endpoint: CHAT, requests, provider, model: '字'.repeat(256) }));
  assert.ok(Buffer.byteLength(JSON.stringify(batch)) < 1_000_000, `${JSON.stringify(batch).length}`);
  assert.ok(batch.lines.every((line) => 'refused' in line && line.refused.code === 400 && line.refused.message !== ''));
});

it('while the key store is out of reach: 503 with Retry-After, and nothing is stored (rule B9)', async () => {
  const stage = openStage();
  stage.keys.current = () => Promise.reject(new KeyStoreUnreachable('cut'));
  const error = await stage.seal(submit([chat()])).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof GatewayError);
  assert.is(error.status, 503);
  assert.ok(Number(error.headers['retry-after']) > 0);
  assert.equal(await stage.blobs.list({ after: null, before: Number.MAX_SAFE_INTEGER, limit: 10 }), []);
});

it('nothing is stored for a client that left', async () => {
  const stage = openStage();
  const error = await stage.seal(submit([chat()]), { isGone: () => true }).catch((thrown: unknown) => thrown);
  assert.instance(error, CallerLeft);
  assert.equal(await stage.blobs.list({ after: null, before: Number.MAX_SAFE_INTEGER, limit: 10 }), []);
});

test.run();
