import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelsDocument } from '../../../../../gateway/catalogue/document/document-schema.ts';
import { type AddCommand, group } from '../../../../../gateway/operator/cli/frame/command.ts';
import type { AddedProvider } from '../../../../../gateway/operator/cli/provider/add-provider.ts';
import { realProviders } from '../../../../../gateway/operator/cli/provider/real-providers.ts';
import type { TestResult } from '../../../../../gateway/operator/cli/provider/test-provider.ts';
import { loadConfig } from '../../../../../gateway/operator/config/load.ts';
import { startSimulator } from '../../../../../gateway/simulator/simulator.ts';
import { bounded } from '../../../../support/bounded.ts';
import { runCommand } from '../../../../support/in-process-command.ts';
import { failureOf, told, toldJson } from '../in-process.ts';

/** `troupe providers add` and `test` against simulators that enforce the published rules of their providers. */
const it = bounded(test, 60_000);
const simulator = await startSimulator({ name: 'sim-a', keep: true });
let folder = '';

test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-real-'));
  writeFileSync(join(folder, 'key'), 'gsk_right', { mode: 0o600 });
});
test.after.each(() => {
  rmSync(folder, { recursive: true, force: true });
});
test.after(() => simulator.close());

const BASES: Readonly<Record<string, string>> = {
  groq: '/openai/v1',
  deepseek: '/v1',
  anthropic: '/v1',
  google: '/v1beta',
  together: '/v1',
  cohere: '',
  ollama: '',
};
const file = (name = 'c.json'): string => join(folder, name);
const baseOf = (preset: string): string => `http://127.0.0.1:${simulator.port}/strict/${preset}${BASES[preset]}`;

function adding(preset: string, ...more: string[]): string[] {
  const where = ['--preset', preset, '--base-url', baseOf(preset), '--key-file', file('key')];
  return ['providers', 'add', preset, ...where, '--config', file(), ...more];
}

function testing(preset: string, ...more: string[]): string[] {
  return ['providers', 'test', preset, '--config', file(), ...more];
}

function documentOf(preset: string): ModelsDocument['data'] {
  return (JSON.parse(readFileSync(file(`${preset}.models.json`), 'utf8')) as ModelsDocument).data;
}

async function tried(...args: Parameters<typeof testing>): Promise<{ result: TestResult; code: unknown }> {
  const add = realProviders.at(-1) as AddCommand;
  const command = group('providers', '', [add]);
  const { out, code } = await runCommand(
    (program) => command(program, { entry: '', ports: {} }),
    [...testing(...args), '--json'],
  );
  return { result: JSON.parse(out) as TestResult, code };
}

function verdicts({ abilities }: TestResult): Readonly<Record<string, string>> {
  return Object.fromEntries(abilities.map(({ ability, verdict }) => [ability, verdict]));
}

const PRESETS_TRIED = ['groq', 'deepseek', 'anthropic', 'google'];

it('an entry of four presets works as it is written, and each declaration is right', async () => {
  for (const preset of PRESETS_TRIED) {
    const added = await toldJson<AddedProvider>(adding(preset, '--price', '0.15,0.60', '--context', '64000'));
    assert.equal([added.models, added.serving], [3, 3]);
  }
  const { providers } = await loadConfig({ file: file(), cwd: folder, env: {} });
  assert.equal(
    providers.map(({ slug, preset, keyFile }) => [slug, preset, keyFile]),
    PRESETS_TRIED.map((slug) => [slug, slug, file('key')]),
  );
  assert.ok(readFileSync(file(), 'utf8').includes('"keyFile": "./key"'));
  for (const preset of PRESETS_TRIED) {
    const model = preset === 'anthropic' ? 'claude-haiku-4-5' : 'sim/tools';
    const { result, code } = await tried(preset, '--model', model);
    const found = verdicts(result);
    for (const ability of ['text', 'stream', 'usage', 'tools', 'tools and back']) {
      assert.is(found[ability], 'right', `${preset} ${ability}`);
    }
    assert.ok(!Object.values(found).includes('wrong'), JSON.stringify(found));
    assert.is(code, undefined);
  }
  assert.is(simulator.calls.at(-1)?.headers['x-goog-api-key'], 'gsk_right');
});

it('what the list states is declared, and a model whose price it does not state is not served', async () => {
  const added = await told(adding('groq'));
  assert.match(added, /with 3 models, 0 of which serve/);
  assert.match(added, /without a price, so not served: sim\/tools, sim\/reasoner, sim\/fast; fill in "pricing"/);
  assert.match(added, /left out, since they answer no conversation: whisper-large-v3, sim\/old/);
  const [first] = documentOf('groq');
  assert.is(first?.is_ready, false);
  assert.equal(first?.input_modalities[0], {
    type: 'text',
    supported_inputs: { max_context_length: { value: 131_072 } },
    pricing: [],
  });
  const failure = await failureOf(testing('groq'));
  assert.match(failure, /no model of groq serves yet; name one with --model ID/);
  await told(adding('together'));
  const [priced] = documentOf('together');
  assert.is(priced?.is_ready, undefined);
  assert.equal(priced?.input_modalities[0]?.pricing, [{ type: 'prompt', unit: 'token', cost_usd: '0.00000018' }]);
  assert.match(await told(testing('together')), /^sim\/tools\nABILITY/);
});

it('a list in pages is read to its end, each wire by its own parameter', async () => {
  for (const preset of ['anthropic', 'google', 'cohere']) {
    await told(adding(preset, '--price', '1,2'));
    assert.is(documentOf(preset).length, 3, preset);
  }
});

it('a list whose pages have no end is refused, and nothing is written', async () => {
  let pages = 0;
  const endless = createServer((_request, response) => {
    pages++;
    response.end(JSON.stringify({ data: [{ id: `m${pages}` }], has_more: true, last_id: `m${pages}` }));
  }).listen(0, '127.0.0.1');
  await once(endless, 'listening');
  const base = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/v1`;
  const where = ['--preset', 'anthropic', '--base-url', base, '--config', file()];
  const failure = await failureOf(['providers', 'add', 'x', ...where]).finally(() => endless.close());
  assert.match(failure, /\/v1\/models has more than 32 pages of models/);
  assert.is(pages, 32);
  assert.equal(readdirSync(folder), ['key']);
});

it('what a server of its own shows of each model is declared, with a context up to the stated one', async () => {
  await told(adding('ollama', '--price', '1,2', '--context', '32000'));
  const declared = documentOf('ollama').map(({ id, input_modalities: [text], output_modalities: [answer] }) => [
    id,
    (text as { supported_inputs?: { max_context_length?: { value: number } } }).supported_inputs?.max_context_length
      ?.value,
    Object.keys(answer?.supported_parameters ?? {}).filter((name) => name === 'tools' || name === 'reasoning'),
  ]);
  assert.equal(declared, [
    ['sim/tools', 32_000, ['tools']],
    ['sim/reasoner', 32_000, ['tools', 'reasoning']],
    ['sim/fast', 8_192, ['tools']],
  ]);
});

it('a list without context lengths leaves them to the operator', async () => {
  assert.match(await told(adding('deepseek', '--price', '1,2')), /without a context length, so not served: sim\/tools/);
  assert.is(documentOf('deepseek')[0]?.is_ready, false);
});

it('only the named models are taken', async () => {
  await told(adding('groq', '--models', 'sim/fast'));
  assert.equal(
    documentOf('groq').map(({ id }) => id),
    ['sim/fast'],
  );
  const failure = await failureOf(['providers', 'add', 'two', ...adding('groq', '--models', 'nope').slice(3)]);
  assert.match(failure, /--models names nope, which http\S+\/models does not list/);
});

it('what a declaration has wrong is shown with the line to change, and exit code 1', async () => {
  await told(adding('deepseek', '--price', '1,2', '--context', '64000'));
  const entry = readFileSync(file(), 'utf8').replace(
    '"preset": "deepseek",',
    '"preset": "deepseek",\n      "wire": { "reasoning_history": "none" },',
  );
  writeFileSync(file(), entry);
  const document = file('deepseek.models.json');
  const declared = readFileSync(document, 'utf8').replace(
    '"tools": {',
    '"reasoning_effort": {\n"type": "unknown"\n},\n"tools": {',
  );
  writeFileSync(document, declared);
  const { result, code } = await tried('deepseek', '--model', 'sim/reasoner');
  assert.is(code, 1);
  const back = result.abilities.find(({ ability }) => ability === 'tools and back');
  assert.is(back?.verdict, 'wrong');
  assert.match(back?.detail ?? '', /the provider says: .*must be passed back to the API/);
  const line = entry.split('\n').findIndex((text) => text.includes('"wire"')) + 1;
  assert.match(
    back?.change ?? '',
    new RegExp(`c\\.json:${line}: set "reasoning_history": "reasoning_content" in "wire"$`),
  );
  const schema = result.abilities.find(({ ability }) => ability === 'JSON schema');
  assert.match(schema?.change ?? '', /deepseek\.models\.json:\d+: add "structured_outputs"/);
});

it('a wrong key is named, and nothing is written', async () => {
  writeFileSync(file('key'), 'wrong-key', { mode: 0o600 });
  assert.match(
    await failureOf(adding('groq')),
    /refuses the call \(http\S+ answers 401\); check the key in --key-file/,
  );
  assert.equal(readdirSync(folder), ['key']);
  const without = adding('groq').filter((_, at) => at !== 7 && at !== 8);
  writeFileSync(file('key'), 'gsk_right');
  await told(without);
  writeFileSync(file(), readFileSync(file(), 'utf8').replace('"models":', '"keyFile": "./key", "models":'));
  writeFileSync(file('key'), 'wrong-key');
  const { result, code } = await tried('groq', '--model', 'sim/fast');
  assert.equal(verdicts(result), { text: 'wrong' });
  assert.match(result.abilities[0]?.change ?? '', /c\.json:\d+: check baseUrl, dialect, preset and the key/);
  assert.is(code, 1);
});

it('an existing entry, its document, a name and an address that cannot be used are refused, and nothing changes', async () => {
  const before = '{ "listen": {"port": 0},\n\t"providers": [ ] , "data": "d" }';
  writeFileSync(file(), before);
  await told(adding('groq'));
  const changed = readFileSync(file(), 'utf8');
  assert.ok(changed.startsWith('{ "listen": {"port": 0},\n\t"providers": ['));
  assert.ok(changed.endsWith('] , "data": "d" }'));
  assert.match(await failureOf(adding('groq')), /c\.json already declares a provider groq; choose another name/);
  const again = ['providers', 'add', 'Groq_2', ...adding('groq').slice(3)];
  assert.match(await failureOf(again), /"Groq_2" is no name for a provider; write lower case letters/);
  writeFileSync(file('other.models.json'), '{}');
  const taken = ['providers', 'add', 'other', ...adding('groq').slice(3)];
  assert.match(await failureOf(taken), /other\.models\.json exists already/);
  const closed = [
    'providers',
    'add',
    'x',
    '--preset',
    'groq',
    '--base-url',
    'http://127.0.0.1:9/v1',
    '--config',
    file(),
  ];
  assert.match(
    await failureOf(closed),
    /http:\/\/127\.0\.0\.1:9\/v1\/models cannot be reached \(.*\); check --base-url/,
  );
  assert.match(
    await failureOf(['providers', 'add', 'x', '--preset', 'azure', '--config', file()]),
    /give it with --base-url/,
  );
  const unlisted = ['providers', 'add', 'x', '--preset', 'bedrock', '--base-url', 'https://p.test', '--config', file()];
  assert.match(await failureOf(unlisted), /bedrock has no list of models; name them with --models/);
  assert.match(await failureOf(adding('groq', '--price', '1')), /--price 1 must be two prices/);
  assert.match(await failureOf(adding('groq', '--price', '0,1')), /--price 0,1 must be two prices/);
  const elsewhere = adding('together').map((word) => (word === file() ? file('c.mjs') : word));
  assert.match(await failureOf(elsewhere), /c\.mjs is not a JSON file, which alone can be edited/);
  assert.match(await failureOf(testing('nobody')), /c\.json declares no provider nobody/);
  assert.match(await failureOf(testing('groq', '--model', 'nope')), /--model nope: groq declares no such model/);
  assert.is(readFileSync(file(), 'utf8'), changed);
  assert.not.ok(existsSync(file('x.models.json')));
});

it('without --config the configuration of the last start of the data folder is changed', async () => {
  const data = join(folder, 'data');
  writeFileSync(file(), '{}');
  mkdirSync(data);
  writeFileSync(join(data, 'last-start.json'), JSON.stringify({ config: file(), providers: [] }));
  const { config } = await toldJson<AddedProvider>([...adding('groq').slice(0, -2), '--data', data]);
  assert.is(config, file());
  assert.ok(readFileSync(file(), 'utf8').includes('"slug": "groq"'));
});

test.run();
