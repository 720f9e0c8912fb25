import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EndpointDeclaration } from '../../../../../actors/terms/endpoint.ts';
import type { Declared } from '../../../../../gateway/catalogue/declare/declare.ts';
import { MODEL } from '../../../../fixtures/models/plain.ts';
import { bounded } from '../../../../support/bounded.ts';
import { modelsDocument } from '../../../../support/provider/simulated-provider.ts';
import { type Command, troupe } from '../command.ts';
import { failureOf, told, toldJson } from '../in-process.ts';

const it = bounded(test, 120_000);
const folder = mkdtempSync(join(tmpdir(), 'troupe-models-'));
const at = ['--data', join(folder, 'data')];
const NODE = { name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' };
let cluster: Command | null = null;

test.after(async () => {
  cluster?.child.kill('SIGTERM');
  await cluster?.ended;
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return path;
}

it('check prints the endpoints that a document declares, or line and member of its error', async () => {
  const good = file('good.json', { data: [MODEL] });
  assert.match(
    await told(['models', 'check', good]),
    /^MODEL +AT THE PROVIDER .*\nm\/one +m\/one +1000 +text +text +0\.000001 +0\.000002\n$/,
  );
  assert.is((await toldJson<readonly EndpointDeclaration[]>(['models', 'check', good]))[0]?.model, 'm/one');
  const bad = file('bad.json', { data: [{ ...MODEL, name: 5 }] });
  const { code, err } = await troupe(['models', 'check', bad]).ended;
  assert.is(code, 1);
  assert.is(err, `troupe: ${bad}: line 6: data[0].name is 5 and must be text of 1 to 256 characters\n`);
});

it('check prints what a clip costs per second', async () => {
  const document = file('clips.json', modelsDocument('sim-v'));
  const table = await told(['models', 'check', document]);
  assert.match(table, /^sim\/filmstrip .* video +- +0\.01 to 0\.075 \/ s$/m);
  assert.not.match(table, /unpriced/);
});

it('check prints every fault on a line of its own, and warnings beside the table, with those of changed prices', async () => {
  const bad = file('faults.json', {
    data: [
      { ...MODEL, name: 5, surprise: 1 },
      { ...MODEL, id: 'two' },
    ],
  });
  const { code, out, err } = await troupe(['models', 'check', bad]).ended;
  assert.equal([code, out], [1, '']);
  assert.equal(
    err.split('\n').map((line) => line.replace(/^troupe: .*: line \d+: (\S+) .*/, '$1')),
    ['data[0].name', 'data[0].surprise', 'data[1].id', ''],
  );
  const [input] = MODEL.input_modalities;
  const dearer = { ...input, pricing: [{ ...input.pricing[0], cost_usd: '0.001' }] };
  const parameters = { ...MODEL.output_modalities[0], supported_parameters: { tol_choice: { type: 'unknown' } } };
  const before = file('before.json', { data: [MODEL] });
  const now = file('now.json', { data: [{ ...MODEL, input_modalities: [dearer], output_modalities: [parameters] }] });
  const warned = await troupe(['models', 'check', now, '--previous', before, '--json']).ended;
  assert.is(warned.code, 0);
  assert.is((JSON.parse(warned.out) as object[]).length, 1);
  assert.match(warned.err, /^troupe: warning: .*now\.json: line \d+: .*tol_choice .*; did you mean tool_choice\?\n/);
  assert.match(warned.err, /warning: .*now\.json: m\/one: the prompt price changes from 0\.000001 to 0\.001 USD\n$/);
});

it('schema prints a JSON Schema', async () => {
  const schema = JSON.parse(await told(['models', 'schema'])) as {
    $schema: string;
    properties: { data: { items: { required: string[] } } };
  };
  assert.match(schema.$schema, /2020-12/);
  assert.ok(schema.properties.data.items.required.includes('input_modalities'));
});

it('a reader that closes the pipe early ends the command without an error', async () => {
  const { child, ended } = troupe(['models', 'schema']);
  child.stdout?.destroy();
  const { code, err } = await ended;
  assert.is(code, 0);
  assert.is(err, '');
});

it('refresh reads a corrected document, keeps the last declaration of an invalid one, and why explains it', async () => {
  const models = file('one.models.json', { data: [MODEL] });
  const providers = [{ slug: 'one', name: 'One', baseUrl: 'http://127.0.0.1:9/v1', models: 'one.models.json' }];
  const config = file('config.json', { nodes: [NODE], providers });
  cluster = troupe(['up', '--port', '0', '--config', config, ...at]);
  await cluster.until(/Ctrl-C drains/);
  const first = await toldJson<readonly Declared[]>(['models', 'refresh', '--reason', 'a test', ...at]);
  assert.equal(
    first.map(({ provider, endpoints, changes, problem }) => [provider, endpoints.length, changes, problem]),
    [['one', 1, 0, null]],
  );
  file('one.models.json', { data: [MODEL, { ...MODEL, id: 'm/two' }] });
  assert.match(await told(['models', 'refresh', 'one', '--reason', 'a test', ...at]), /\none +2 +1 +declared\n/);
  const [input] = MODEL.input_modalities;
  const dearer = { ...input, pricing: [{ ...input.pricing[0], cost_usd: '0.0002' }] };
  file('one.models.json', { data: [{ ...MODEL, input_modalities: [dearer] }] });
  const warned = await troupe(['models', 'refresh', 'one', '--reason', 'a test', ...at]).ended;
  assert.is(warned.code, 0);
  assert.is(warned.err, 'troupe: warning: m/one: the prompt price changes from 0.000001 to 0.0002 USD\n');
  file('one.models.json', { data: [MODEL, { ...MODEL, id: 'm/two', name: 1, created: 'x' }] });
  assert.match(
    await told(['models', 'refresh', '--reason', 'a test', ...at]),
    /data\[1\]\.name is 1 .*\n.*data\[1\]\.created is "x"/,
  );
  file('one.models.json', { data: [MODEL, { ...MODEL, id: 'm/two' }] });
  assert.is((await troupe(['models', 'refresh', 'one', '--reason', 'a test', ...at]).ended).code, 0);
  file('one.models.json', '{"data": [\n}');
  const broken = await troupe(['models', 'refresh', '--reason', 'a test', ...at]).ended;
  assert.is(broken.code, 1);
  assert.ok(broken.out.includes(`${models}: line 2: this is not JSON`), broken.out);
  assert.match(
    await told(['why', 'provider:one', ...at]),
    /models document is broken since .* with 2 endpoints: .*line 2: this is not JSON/,
  );
  assert.is(
    await failureOf(['models', 'refresh', 'nobody', '--reason', 'a test', ...at]),
    'troupe: there is no provider nobody; `troupe providers list` shows the providers\n',
  );
});

test.run();
