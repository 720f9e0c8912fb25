import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endpointDeclarations } from '../../../../gateway/catalogue/document/endpoint-declaration.ts';
import { parseModelsValue } from '../../../../gateway/catalogue/document/models-document.ts';
import { listedDocument } from '../../../../gateway/catalogue/listed/listed-document.ts';
import { entriesIn, listedModels, perToken } from '../../../../gateway/catalogue/listed/listed-models.ts';
import { PRESETS } from '../../../../gateway/catalogue/presets/presets.ts';
import { modelList } from '../../../../gateway/simulator/strict/model-lists.ts';

/** What a list says; null for an answer that is none. */
function read(answer: unknown): ReturnType<typeof listedModels> | null {
  const entries = entriesIn(answer);
  return entries === null ? null : listedModels(entries);
}

const ABSENT = { readsPictures: false, reasons: false };

test('each preset reads the list of its provider, and the document is valid', () => {
  for (const [name, { dialect, baseUrl, example }] of Object.entries(PRESETS)) {
    const list = read(modelList(name));
    assert.ok(list !== null && list.models.length >= 2, name);
    const { document } = listedDocument(list?.models ?? [], { contextLength: 9_000 }, { dialect, author: name });
    const provider = { slug: name, name, baseUrl: baseUrl ?? example ?? '', dialect, models: {} };
    const ready = { data: document.data.map((model) => ({ ...model, is_ready: true })) };
    const endpoints = parseModelsValue(ready, (valid) => endpointDeclarations(provider, valid));
    assert.is(endpoints.length, list?.models.length, name);
  }
});

test('prices per token as text, and per million as a number, are those of a token; zero states nothing', () => {
  const [router] = read(modelList('openrouter'))?.models ?? [];
  assert.equal([router?.promptUsd, router?.completionUsd, router?.cachedUsd], ['0.0000001', '0.000002', '0.00000005']);
  const [together] = read(modelList('together'))?.models ?? [];
  assert.equal([together?.promptUsd, together?.completionUsd], ['0.00000018', '0.0000006']);
  const free = {
    data: [
      { id: 'a', pricing: { prompt: '0', completion: '0' } },
      { id: 'b', pricing: { prompt: '-1' } },
    ],
  };
  for (const model of read(free)?.models ?? []) assert.is(model.promptUsd, undefined);
});

test('a price of a million tokens becomes that of one without rounding', () => {
  const rows = [
    ['0.15', '0.00000015'],
    ['15', '0.000015'],
    ['2000000', null],
    ['123456.7', '0.1234567'],
    ['0', '0'],
    ['1e3', null],
    ['-1', null],
  ] as const;
  for (const [million, one] of rows) assert.is(perToken(million), one, million);
});

test('only models of conversations are taken, each once', () => {
  const data = [
    { id: 'gpt-9' },
    { id: 'gpt-9' },
    { id: 'text-embedding-9' },
    { id: 'm1', capabilities: { completion_chat: false } },
    { id: 'm2', active: false },
    { id: 'm3', type: 'embedding' },
    { id: 'm4', endpoints: ['rerank'] },
    { id: 'm5', architecture: { output_modalities: ['image'] } },
    { object: 'model' },
    null,
  ];
  const list = read({ data });
  assert.equal(
    list?.models.map(({ id }) => id),
    ['gpt-9'],
  );
  assert.equal(list?.others, ['text-embedding-9', 'm1', 'm2', 'm3', 'm4', 'm5']);
  assert.is(read({ error: 'no' }), null);
  assert.is(read('no'), null);
});

test('a model that lacks a price or a length does not serve, and stated facts fill only what its list lacks', () => {
  const models = [
    { id: 'accounts/x/models/big 1', name: 'Big', ...ABSENT, contextLength: 5_000 },
    { id: 'author/own', name: 'Own', ...ABSENT, contextLength: 6_000, promptUsd: '0.1', completionUsd: '0.2' },
    { id: 'bare', name: 'Bare', ...ABSENT },
  ];
  const at = { dialect: 'chat', author: 'fireworks' } as const;
  const plain = listedDocument(models, {}, at);
  assert.equal(plain.unpriced, ['accounts/x/models/big 1', 'bare']);
  assert.equal(plain.unmeasured, ['bare']);
  assert.equal(
    plain.document.data.map(({ slug, is_ready }) => [slug, is_ready]),
    [
      ['fireworks/big-1', false],
      ['author/own', undefined],
      ['fireworks/bare', false],
    ],
  );
  const price = { prompt: '0.3', completion: '0.4' };
  const stated = listedDocument(models, { price, contextLength: 7_000 }, at);
  assert.equal([stated.unpriced, stated.unmeasured], [[], []]);
  const facts = stated.document.data.map(({ input_modalities: [text] }) => [
    text?.pricing?.[0]?.cost_usd,
    (text as { supported_inputs?: { max_context_length?: { value: number } } }).supported_inputs?.max_context_length
      ?.value,
  ]);
  assert.equal(facts, [
    ['0.3', 5_000],
    ['0.1', 6_000],
    ['0.3', 7_000],
  ]);
});

test('thinking is declared as the list states it: by a budget, by levels, or without a form', () => {
  const list = read(modelList('anthropic'))?.models ?? [];
  const { document } = listedDocument(list, {}, { dialect: 'messages', author: 'anthropic' });
  const declared = document.data.map(({ output_modalities: [text] }) => text?.supported_parameters.reasoning);
  const budget = {
    type: 'object',
    properties: { enabled: { type: 'boolean' }, max_tokens: { type: 'integer', min: 1_024 } },
  };
  assert.equal(declared, [
    budget,
    {
      type: 'object',
      properties: {
        enabled: { type: 'boolean' },
        effort: { type: 'enum', values: ['max', 'high', 'medium', 'low'] },
      },
    },
    budget,
  ]);
});

test('what a server shows of a model is declared: its abilities, and its context up to the stated one', () => {
  const shown = { model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 } };
  const entries = [
    { name: 'one', capabilities: ['completion', 'tools', 'thinking'], ...shown },
    { name: 'two', capabilities: ['completion', 'vision'], ...shown, parameters: 'stop "x"\nnum_ctx 8192' },
    { name: 'three', capabilities: ['embedding'] },
    { name: 'four' },
  ];
  const { models, others } = listedModels(entries);
  assert.equal(others, ['three']);
  assert.equal(
    models.map(({ id, callsTools, reasons, readsPictures }) => [id, callsTools, reasons, readsPictures]),
    [
      ['one', true, true, false],
      ['two', false, false, true],
      ['four', undefined, false, false],
    ],
  );
  const lengths = (stated: object): unknown[] =>
    listedDocument(models, stated, { dialect: 'ollama', author: 'own' }).document.data.map(
      ({ is_ready, input_modalities: [text] }) => [
        is_ready ?? true,
        (text as { supported_inputs?: { max_context_length?: { value: number } } }).supported_inputs?.max_context_length
          ?.value,
      ],
    );
  const price = { prompt: '1', completion: '1' };
  assert.equal(lengths({ price }), [
    [true, 40_960],
    [true, 8_192],
    [false, 8_192],
  ]);
  const capped = [true, 16_000];
  assert.equal(lengths({ price, contextLength: 16_000 }), [capped, [true, 8_192], capped]);
  assert.equal(lengths({ price, contextLength: 64_000 })[0], [true, 40_960]);
});

test.run();
