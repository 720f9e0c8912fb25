import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestResult } from '../../../../../gateway/operator/cli/provider/test-provider.ts';
import { startSimulator } from '../../../../../gateway/simulator/simulator.ts';
import { bounded } from '../../../../support/bounded.ts';
import { startScriptedProvider } from '../../../../support/provider/scripted-provider.ts';
import { told, toldJson } from '../in-process.ts';

/** `troupe providers test` of a model that lacks one ability: the finding, and the line that says what to change. */
const it = bounded(test, 60_000);

type Body = Readonly<Record<string, unknown>>;

const simulator = await startSimulator({ name: 'sim-a' });
/** Answers as the simulator does, to another request than it received; a status instead refuses. */
const provider = await startScriptedProvider();
let spoiled: (body: Body) => Body | number = (body) => body;
provider.answer = async ({ body, response }) => {
  const sent = spoiled(body);
  if (typeof sent === 'number') {
    response
      .writeHead(sent, { 'content-type': 'application/json' })
      .end('{"error":{"message":"This is not supported."}}');
    return;
  }
  const url = `http://127.0.0.1:${simulator.port}/v1/chat/completions`;
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(sent) });
  response.writeHead(answer.status, { 'content-type': String(answer.headers.get('content-type')) });
  response.end(Buffer.from(await answer.arrayBuffer()));
};
const folder = mkdtempSync(join(tmpdir(), 'troupe-failed-'));
test.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await provider.close();
  await simulator.close();
});

const CONFIG = join(folder, 'c.json');
const DOCUMENT = join(folder, 'two.models.json');
const UNKNOWN = { type: 'unknown' };
const MODEL = {
  ...{ schema_version: '2.4', id: 'flawed/none', slug: 'author/model', name: 'Model', tokenizer: 'Other' },
  created: 1_750_000_000,
  input_modalities: [
    {
      type: 'text',
      supported_inputs: { max_context_length: { value: 64_000 } },
      pricing: [{ type: 'prompt', unit: 'token', cost_usd: '0.000001' }],
    },
    { type: 'image', supported_inputs: { sources: { type: 'enum', values: ['base64'] } } },
  ],
  output_modalities: [
    {
      type: 'text',
      max_length: { value: 16_000 },
      supported_parameters: {
        ...{ max_tokens: UNKNOWN, tools: UNKNOWN, response_format: UNKNOWN, structured_outputs: UNKNOWN },
        ...{ reasoning: UNKNOWN, reasoning_effort: { type: 'enum', values: ['low', 'none'] } },
      },
      pricing: [{ type: 'completion', unit: 'token', cost_usd: '0.000002' }],
    },
  ],
};
const PROVIDER = {
  slug: 'two',
  name: 'Two',
  baseUrl: provider.baseUrl,
  models: './two.models.json',
  wire: { thinking_switch: { path: 'reasoning.enabled', on: true, off: false } },
};
const document = JSON.stringify({ data: [MODEL] }, null, 2);
const config = JSON.stringify({ providers: [PROVIDER] }, null, 2);
writeFileSync(DOCUMENT, document);
writeFileSync(CONFIG, config);

const TESTING = ['providers', 'test', 'two', '--config', CONFIG];
const lineOf = (text: string, part: string): number => text.split('\n').findIndex((line) => line.includes(part)) + 1;
const as = (model: string) => (body: Body) => ({ ...body, model: `flawed/${model}` });
const isPicture = ({ messages }: Body): boolean => JSON.stringify(messages).includes('image_url');
const parameter = (name: string): string => `two.models.json:${lineOf(document, `"${name}"`)}: remove "${name}"`;
const entry = `c.json:${lineOf(config, '{\n'.trim()) + 2}: check baseUrl, dialect, preset and the key`;
const usage = `c.json:${lineOf(config, '"wire"')}: remove "stream_options" from "omit" of "wire", or accept an estimate`;

/** By ability: what the provider does instead, what is found, and the line. */
const FAILED: Readonly<Record<string, readonly [(body: Body) => Body | number, RegExp, string]>> = {
  text: [as('refuses'), /no text/, entry],
  stream: [(body) => (body.stream === true && body.tools === undefined ? 400 : body), /not supported/, entry],
  usage: [
    (body) => (body.stream === true ? { ...body, model: 'sim/no-usage' } : body),
    /a stream has no counts of tokens/,
    usage,
  ],
  tools: [
    (body) => (body.tools === undefined ? body : as('prose-for-tools')(body)),
    /text instead of/,
    parameter('tools'),
  ],
  reasoning: [(body) => (body.reasoning === undefined ? body : 400), /not supported/, parameter('reasoning')],
  image: [
    (body) => (isPicture(body) ? as('blind')(body) : body),
    /did not name the colours/,
    `two.models.json:${lineOf(document, '"input_modalities"')}: remove {"type": "image"}`,
  ],
  'JSON schema': [as('ignores-schema'), /./, parameter('structured_outputs')],
};

it('a model that does all that it declares has nothing to change', async () => {
  spoiled = (body) => body;
  const { abilities } = await toldJson<TestResult>(TESTING);
  assert.equal(
    abilities.filter(({ verdict }) => verdict !== 'right'),
    [],
  );
  for (const ability of Object.keys(FAILED))
    assert.ok(
      abilities.some((each) => each.ability === ability),
      ability,
    );
});

for (const [ability, [spoil, detail, change]] of Object.entries(FAILED)) {
  it(`${ability} that fails is wrong, and the printed line says what to change`, async () => {
    spoiled = spoil;
    const { abilities } = await toldJson<TestResult>(TESTING);
    const found = abilities.find((each) => each.ability === ability);
    assert.is(found?.verdict, 'wrong', JSON.stringify(found));
    assert.match(found?.detail ?? '', detail);
    assert.ok(found?.change?.endsWith(change), `${found?.change} ends with ${change}`);
    const line = (await told(TESTING)).split('\n').find((each) => each.includes(change));
    assert.match(line ?? '', /wrong/);
  });
}

it('counts that a whole answer lacks are found too', async () => {
  spoiled = (body) => (body.stream === true ? body : { ...body, model: 'sim/no-usage' });
  const { abilities } = await toldJson<TestResult>(TESTING);
  const { verdict, detail } = abilities.find(({ ability }) => ability === 'usage') ?? {};
  assert.equal([verdict, detail], ['wrong', 'a whole answer has no counts of tokens']);
});

test.run();
