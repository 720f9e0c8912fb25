import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewBatch } from '../../../../actors/batch/batch-state.ts';
import type { LineError } from '../../../../actors/batch/line-record.ts';
import { KeyStoreUnreachable, openBlob, systemClock } from '../../../../actors/runtime/index.ts';
import config from '../../../../cluster.config.ts';
import { DIALECTS } from '../../../../gateway/dialects/dialect-table.ts';
import { type LineDefaults, readLineBody } from '../../../../gateway/jobs/batch/line-body.ts';
import { parseSubmission, SUBMISSION_TEXTS } from '../../../../gateway/jobs/batch/parse-submission.ts';
import { type NewSubmission, placeOfBodies, sealSubmission } from '../../../../gateway/jobs/batch/seal-submission.ts';
import { JsonReader } from '../../../../gateway/json/json-reader.ts';
import { JsonScan } from '../../../../gateway/json/json-scan.ts';
import { parseWhole } from '../../../../gateway/json/parse-whole.ts';
import { loopWork } from '../../../../gateway/overload/loop-work.ts';
import { CallerLeft, GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bodies } from '../../../api/attacks/fuzz-bodies.ts';
import { bounded } from '../../../support/bounded.ts';
import { memoryFiles } from '../../../support/memory-files.ts';
import { pieces } from '../../../support/pieces.ts';

const it = bounded(test);
const BODIES = 500;
const CHAT = '/v1/chat/completions';
const caller = { account: 'account:acct_1', key: 'key:acct_1/key_1', kind: 'inference' } as const;
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

/** A node's byte stores without a cluster: sealing a submission asks no actor. */
function open() {
  const { blobs, keys, filesOf } = memoryFiles();
  const files = filesOf({ now: () => 1_000 });
  /** Seals what a client sends as this JSON text. */
  const seal = (text: string, more: Partial<NewSubmission> = {}): Promise<NewBatch> => {
    const reader = new JsonReader({ texts: SUBMISSION_TEXTS });
    reader.feed(Buffer.from(text));
    const submission = parseSubmission(reader.end());
    const requests = Array.isArray(submission.source) ? submission.source : [];
    const attribution = { appTitle: 'app', appUrl: null };
    const submitted = { submission, requests, caller, attribution, idempotency: undefined, isGone: () => false };
    return sealSubmission(files, { ...submitted, limits: config.edge, windowMs: 86_400_000, ...more });
  };
  /** The text of each line's body, or its refusal. */
  const linesOf = async ({ account, id, bodies, lines }: NewBatch): Promise<readonly (string | LineError)[]> => {
    if (bodies === null) return lines.map((line) => ('refused' in line ? line.refused : 'lost'));
    const all = await pieces.gather(blobs.read(await openBlob(keys, placeOfBodies(account, id), bodies)));
    return lines.map((line) =>
      'refused' in line ? line.refused : all.toString('utf8', line.offset, line.offset + line.length),
    );
  };
  return { blobs, keys, seal, linesOf };
}

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
  const on = open();
  const sample = fc.sample(bodies('/chat/completions'), 2 * BODIES).map((text) => text.toWellFormed());
  // What is no JSON value refuses the whole submission; a body that asks for a stream is refused by the batch.
  const texts = sample.filter((text) => isJson(text) && !/"stream":true/.test(text)).slice(0, BODIES);
  assert.ok(texts.length > BODIES / 2);
  const batch = await on.seal(submission(texts));
  const lines = await on.linesOf(batch);
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
  const on = open();
  const lines = await on.linesOf(await on.seal(submission(texts)));
  for (const [at, line] of lines.entries()) {
    const expected = live(texts[at] as string);
    if (at === 4) assert.is(line, texts[4]);
    else assert.equal(line, { ...expected, param: null });
  }
});

it('bodies are sealed in order, each at its place, under this batch of this account only (rule B48)', async () => {
  const on = open();
  const values = [chat({ user: 'ü😀' }), chat({ temperature: 3 }), chat({ seed: 7 })];
  const batch = await on.seal(submit(values, { model: 'sim/fast', provider: { only: ['sim-a'] } }));
  assert.equal(
    batch.lines.map(({ customId }) => customId),
    ['r0', 'r1', 'r2'],
  );
  const [first, second, third] = await on.linesOf(batch);
  assert.equal([JSON.parse(first as string), JSON.parse(third as string)], [values[0], values[2]]);
  const message = 'temperature must be at most 2';
  assert.equal(second, { type: 'invalid_request', code: 400, message, param: null });
  assert.equal([batch.model, batch.provider, batch.endpoint], ['sim/fast', { only: ['sim-a'] }, CHAT]);
  const moved = await on.linesOf({ ...batch, account: 'acct_2' }).catch((error: Error) => error.name);
  assert.is(moved, 'SealBroken');
});

it('stream, store and another model are refused in one body alone; all refused leaves no bodies (rule B5)', async () => {
  const on = open();
  const values = [
    chat({ stream: true }),
    chat({ store: true }),
    chat({ model: 'sim/tools' }),
    chat({ models: ['x/y'] }),
    [],
  ];
  const batch = await on.seal(submit(values, { model: 'sim/fast' }));
  assert.is(batch.bodies, null);
  const lines = (await on.linesOf(batch)) as readonly { readonly message: string; readonly code: number }[];
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
  const fine = await on.seal(submit([chat({ stream: false, store: false }), chat({ stream: null })]));
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
  const on = open();
  const { messages } = chat();
  const batch = await on.seal(submit([{ messages }], { model: 'sim/fast' }));
  assert.equal(await on.linesOf(batch), [JSON.stringify({ messages })], 'stored as submitted');
  const [line] = await on.linesOf(await on.seal(submit([{ messages }])));
  assert.is((line as { readonly message: string }).message, 'model is required');
});

it('a body has the bounds of a live body: size, depth and tokens fail it alone', async () => {
  const on = open();
  const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`) as unknown;
  const limits = { bodyBytesMax: 2_000, bodyDepthMax: 64, bodyTokensMax: 500 };
  const values = [
    chat({ user: 'x'.repeat(2_000) }),
    chat({ metadata: { deep } }),
    chat({ stop: Array(600).fill(1) }),
    chat(),
  ];
  const lines = await on.linesOf(await on.seal(submit(values), { limits }));
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
  const on = open();
  const long = `"\u0001${'字'.repeat(254)}`;
  const values = Array.from({ length: 1_000 }, () =>
    chat({ tool_choice: long.repeat(2), [long]: 1, response_format: { type: long } }),
  );
  const requests = values.map((body, at) => ({ custom_id: `${'😀'.repeat(124)}${at}`, body }));
  const provider = { only: Array.from({ length: 100 }, () => '字'.repeat(256)) };
  const batch = await on.seal(JSON.stringify({ endpoint: CHAT, requests, provider, model: '字'.repeat(256) }));
  assert.ok(Buffer.byteLength(JSON.stringify(batch)) < 1_000_000, `${JSON.stringify(batch).length}`);
  assert.ok(batch.lines.every((line) => 'refused' in line && line.refused.code === 400 && line.refused.message !== ''));
});

it('while the key store is out of reach: 503 with Retry-After, and nothing is stored (rule B9)', async () => {
  const on = open();
  on.keys.current = () => Promise.reject(new KeyStoreUnreachable('cut'));
  const error = await on.seal(submit([chat()])).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof GatewayError);
  assert.is(error.status, 503);
  assert.ok(Number(error.headers['retry-after']) > 0);
  assert.equal(await on.blobs.list({ after: null, before: Number.MAX_SAFE_INTEGER, limit: 10 }), []);
});

it('nothing is stored for a client that left', async () => {
  const on = open();
  const error = await on.seal(submit([chat()]), { isGone: () => true }).catch((thrown: unknown) => thrown);
  assert.instance(error, CallerLeft);
  assert.equal(await on.blobs.list({ after: null, before: Number.MAX_SAFE_INTEGER, limit: 10 }), []);
});

test.run();
