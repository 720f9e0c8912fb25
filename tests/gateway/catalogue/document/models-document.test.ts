import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EndpointDeclaration, TurnDialect } from '../../../../actors/terms/endpoint.ts';
import { endpointDeclarations } from '../../../../gateway/catalogue/document/endpoint-declaration.ts';
import { BrokenDocument, parseModelsText } from '../../../../gateway/catalogue/document/models-document.ts';
import type { ProviderDeclaration } from '../../../../gateway/terms/provider-declaration.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';
import { bounded } from '../../../support/bounded.ts';
import { modelsDocument, simulatedProvider } from '../../../support/provider/simulated-provider.ts';
import { declared } from '../declared.ts';

const it = bounded(test);
const PROVIDER: ProviderDeclaration = { slug: 'p', name: 'P', baseUrl: 'http://x/v1', models: 'none' };
const [INPUT] = MODEL.input_modalities;
const [OUTPUT] = MODEL.output_modalities;

function broken(json: string): string {
  try {
    parseModelsText(json, (document) => endpointDeclarations(PROVIDER, document));
  } catch (error) {
    assert.instance(error, BrokenDocument);
    return (error as Error).message;
  }
  throw new Error(`it was accepted: ${json.slice(0, 200)}`);
}

/** One member per line, so that the line identifies the member. */
const brokenModel = (model: object): string =>
  broken(JSON.stringify({ data: [MODEL, { ...MODEL, ...model }] }, null, 1));

function input(members: object): object {
  return { id: 'm/two', input_modalities: [{ ...INPUT, ...members }] };
}
function prices(...pricing: readonly object[]): object {
  return input({ pricing });
}

const PROMPT = { type: 'prompt', unit: 'token', cost_usd: '0.000001' };
const UNKNOWN = { type: 'unknown' };

const BROKEN: readonly (readonly [string, object, RegExp])[] = [
  ['no id', { id: undefined }, /^line \d+: data\[1\]\.id is missing; add it as the name by which/],
  ['an id twice', {}, /^line \d+: data\[1\]\.id: m\/one is declared twice$/],
  ['an id that is not author/slug', { id: 'two' }, /data\[1\]\.id is "two", which is not author\/slug; add a slug/],
  [
    'an unknown member',
    { contextLength: 5 },
    /data\[1\]\.contextLength is an unknown member; remove it \(known here: schema/,
  ],
  ['another version', { schema_version: '1.0' }, /data\[1\]\.schema_version is "1\.0" and must be the version/],
  ['an unknown quantization', { quantization: 'q4' }, /data\[1\]\.quantization is "q4" and must be a quantization/],
  ['no inputs', { input_modalities: [] }, /data\[1\]\.input_modalities is \[\] and must be a list of input/],
  [
    'an unknown modality',
    input({ type: 'smell' }),
    /input_modalities\[0\]\.type is "smell" and must be one of text, image/,
  ],
  [
    'a modality without a type',
    input({ type: undefined }),
    /input_modalities\[0\]\.type is missing; add it as one of text/,
  ],
  [
    'no context length',
    input({ supported_inputs: {} }),
    /input_modalities\[0\]: .*max_context_length of its text is missing/,
  ],
  [
    'a length of zero',
    input({ supported_inputs: { max_context_length: { value: 0 } } }),
    /max_context_length\.value is 0 and/,
  ],
  ['a price as a number', prices({ ...PROMPT, cost_usd: 0.1 }), /pricing\[0\]\.cost_usd is 0\.1 and must be a decimal/],
  ['a price below zero', prices({ ...PROMPT, cost_usd: '-1' }), /pricing\[0\]\.cost_usd is "-1" and must be a decimal/],
  ['a price twice', prices(PROMPT, { ...PROMPT, cost_usd: '1' }), /pricing\[1\] duplicates another price/],
  ['half a window', prices({ ...PROMPT, utc_start: 100 }), /pricing\[0\] has only one of utc_start and utc_end/],
  [
    'an empty window',
    prices({ ...PROMPT, utc_start: 100, utc_end: 100 }),
    /pricing\[0\]\.utc_end is 100 and must differ/,
  ],
  [
    'minute 60',
    prices({ ...PROMPT, utc_start: 160, utc_end: 300 }),
    /pricing\[0\]\.utc_start is 160 and must end in minutes/,
  ],
  [
    'an unknown weekday',
    prices({ ...PROMPT, utc_days: ['someday'] }),
    /utc_days\[0\] is "someday" and must be one of sunday/,
  ],
  ['a discount of all', { discount_to_user: 1 }, /data\[1\]\.discount_to_user is 1 and must be a fraction below 1/],
  [
    'noise in a discount',
    { id: 'm/two', discount_to_user: 0.1 + 0.2 - 0.15 + 1e-16 },
    /discount_to_user is .* and must have at most 12 decimals/,
  ],
  [
    'a descriptor without a bound',
    { output_modalities: [{ ...OUTPUT, supported_parameters: { top_k: { type: 'range', min: 1 } } }] },
    /supported_parameters\.top_k\.max is missing; add it as a number/,
  ],
  [
    'a nested descriptor',
    { output_modalities: [{ ...OUTPUT, supported_parameters: { a: { type: 'array', items: { type: 'odd' } } } }] },
    /supported_parameters\.a\.items\.type is "odd" and must be one of range, integer/,
  ],
  [
    'a claim that is no word',
    { compliance: { zdr: 'yes' } },
    /data\[1\]\.compliance\.zdr is "yes" and must be true or false/,
  ],
  [
    'a day that is none',
    { deprecation_date: '2027-13-01' },
    /data\[1\]\.deprecation_date is "2027-13-01" and must be a date/,
  ],
  [
    'an unknown source',
    { input_modalities: [INPUT, { type: 'image', supported_inputs: { sources: { type: 'enum', values: ['ftp'] } } }] },
    /input_modalities\[1\]\.supported_inputs\.sources\.values\[0\] is "ftp" and must be one of url, base64/,
  ],
];
for (const [what, model, expected] of BROKEN) {
  it(`${what} is refused with its line and its member (rule C46)`, () => {
    const message = brokenModel(model);
    assert.match(message, /^line \d+: /);
    assert.match(message, expected);
  });
}

it('refuses invalid names and declarations above the maximum length', () => {
  const named = (name: string): object => ({
    output_modalities: [{ ...OUTPUT, supported_parameters: { [name]: UNKNOWN } }],
  });
  assert.match(brokenModel(named('1st')), /supported_parameters\.1st: the name is invalid; begin with a letter$/);
  const proto = `{"data": [${JSON.stringify(MODEL).replace('"tools"', '"__proto__"')}]}`;
  assert.match(broken(proto), /supported_parameters\.__proto__: the name is invalid/);
  const values = Array.from({ length: 256 }, (_, nth) => String(nth).padEnd(255));
  const parameters = Object.fromEntries(values.slice(0, 4).map((_, nth) => [`p${nth}`, { type: 'enum', values }]));
  const wordy = { id: 'm/two', output_modalities: [{ ...OUTPUT, supported_parameters: parameters }] };
  assert.match(brokenModel(wordy), /data\[1\] is longer than 131072 characters/);
});

it('a validation error names the line of the member, for any text before it (rule C46)', () => {
  const text = '{ "data":\n[\n{ "schema_version": "2.4",\n"id": "a/\\"{[b",\n"name": "}",\n"created": 1 } ] }';
  assert.match(broken(text), /^line \d+: data\[0\]\.input_modalities is missing/);
  const model = JSON.stringify({ ...MODEL, name: '}],{"' }, null, 2).replace('1750000000', '"soon"');
  const line = model.slice(0, model.indexOf('"soon"')).split('\n').length;
  assert.match(broken(`{\n"data": [${model}]}`), new RegExp(`^line ${line + 1}: data\\[0\\]\\.created is "soon"`));
});

it('refuses invalid JSON with its line', () => {
  assert.match(broken('{\n"data": [\n{]\n}'), /^line 3: this is not JSON/);
  assert.match(broken(''), /^line 1: this is not JSON/);
  assert.match(broken('[]'), /^line 1: the document is \[\] and must be a models document/);
  assert.match(broken('{}'), /^line 1: data is missing; add it as a list of models/);
  assert.match(broken(`{"data":${'['.repeat(500)}${']'.repeat(500)}}`), /nested deeper than/);
});

it('derives reasoning controls from the parameters that carry them (rule C5)', () => {
  // rule C5
  const thinking = (supported_parameters: object) =>
    declared({ output_modalities: [{ ...OUTPUT, supported_parameters }] });
  assert.is(thinking({}).reasoning, null);
  assert.equal(thinking({ reasoning: UNKNOWN }).reasoning, { mandatory: true });
  const effort = { type: 'enum', values: ['low', 'none', 'xhigh'], default: 'low' };
  assert.equal(thinking({ reasoning_effort: effort }).reasoning, {
    efforts: ['xhigh', 'low', 'none'],
    mandatory: false,
    defaultEffort: 'low',
  });
  const properties = { max_tokens: { type: 'integer', min: 16, max: 99 }, enabled: { type: 'boolean', default: true } };
  assert.equal(thinking({ reasoning: { type: 'object', properties } }).reasoning, {
    mandatory: false,
    defaultEnabled: true,
    budget: { min: 16, max: 99 },
  });
});

it('declares inputs, outputs, envelopes and their carrier members', () => {
  const endpoint = declared({
    input_modalities: [
      INPUT,
      { type: 'image' },
      {
        type: 'audio',
        supported_inputs: {
          sources: { type: 'enum', values: ['base64'] },
          formats: { type: 'enum', values: ['audio/wav'] },
        },
      },
    ],
    output_modalities: [
      OUTPUT,
      {
        type: 'image',
        supported_parameters: { size: { type: 'enum', values: ['64x64'] }, n: { type: 'integer', min: 1, max: 4 } },
      },
      {
        type: 'audio',
        supported_parameters: { voice: { type: 'enum', values: ['alto'] }, format: { type: 'enum', values: ['wav'] } },
      },
      { type: 'embeddings', supported_parameters: {} },
    ],
    passthrough_parameters: { guidance: { type: 'range', min: 0, max: 1 } },
  });
  assert.equal(endpoint.inputModalities, ['text', 'image', 'audio']);
  assert.equal(endpoint.inputs, {
    image: { sources: ['url', 'data'], containers: null },
    audio: { sources: ['data'], containers: ['audio/wav'] },
  });
  assert.equal(endpoint.outputModalities, ['text', 'image', 'audio']);
  assert.equal(endpoint.envelopes, {
    image: { sizes: ['64x64'], imagesMax: 4 },
    speech: { voices: ['alto'], formats: ['wav'] },
  });
  assert.equal(endpoint.supportedParameters, ['audio', 'image_config', 'modalities', 'temperature', 'tools']);
  assert.equal(endpoint.descriptors.temperature, { type: 'range', min: 0, max: 2 });
  assert.equal(endpoint.passthrough, { guidance: { type: 'range', min: 0, max: 1 } });
});

it('a claim of zero data retention is pending until the operator decides on it (rule C12)', () => {
  const claims = { compliance: { zdr: true, hipaa: true } };
  assert.equal(declared(claims).compliance, { hipaa: true, zdr: 'pending' });
  assert.equal(declared(claims, { zdr: 'approved' }).compliance, { hipaa: true, zdr: 'approved' });
  assert.equal(declared(claims, { zdr: 'denied' }).compliance, { hipaa: true, zdr: 'denied' });
  assert.equal(declared({ compliance: { zdr: false } }, { zdr: 'approved' }).compliance, {
    hipaa: null,
    zdr: 'denied',
  });
  assert.is(declared({}, { zdr: 'approved' }).compliance, null, 'an absent claim cannot be approved');
});

it('maps every other member, and an absent one is null (rule C29)', () => {
  const plain = declared({});
  assert.equal(plain.id, declared({ name: 'x' }).id);
  assert.equal(
    [plain.model, plain.author, plain.tag, plain.quantization, plain.contextLength, plain.completionTokensMax],
    ['m/one', 'm', 'p', null, 1_000, null],
  );
  assert.equal(plain.target, { dialect: 'chat', baseUrl: 'http://x/v1', upstreamId: 'm/one' });
  assert.equal([plain.dataPolicy, plain.datacenters, plain.tokenizer, plain.cancellable], [null, null, null, false]);
  const full = declared(
    {
      id: 'one-2026',
      slug: 'm/two',
      quantization: 'fp8',
      tokenizer: 'Llama3',
      deprecation_date: '2027-01-31T12:00:00Z',
      hugging_face_id: 'M/One',
      cancellable: true,
      default_parameters: { temperature: 0.7 },
      data_policy: { training: false, retention_days: 30 },
      datacenters: [{ country_code: 'DE', region: 'eu-central' }],
      input_modalities: [
        { type: 'text', supported_inputs: { max_context_length: { value: 9 }, max_prompt_length: { value: 8 } } },
      ],
      output_modalities: [
        { type: 'text', max_length: { value: 7 }, supported_parameters: { max_completion_tokens: UNKNOWN } },
      ],
    },
    { dialect: 'messages' },
  );
  assert.equal(full.target, { dialect: 'messages', baseUrl: 'http://x/v1', upstreamId: 'one-2026' });
  assert.equal([full.model, full.tag, full.tokenizer, full.expiresOn], ['m/two', 'p/fp8', 'Llama3', '2027-01-31']);
  assert.equal([full.contextLength, full.promptTokensMax, full.completionTokensMax], [9, 8, 7]);
  assert.is(full.ceilingName, 'max_completion_tokens');
  assert.is(full.modelHubId, 'M/One');
  assert.equal(full.defaultParameters, { temperature: 0.7 });
  assert.equal(full.dataPolicy, { training: false, retentionDays: 30 });
  assert.equal(full.datacenters, [{ countryCode: 'DE', region: 'eu-central' }]);
});

it('a model may speak another dialect than the rest of its provider', () => {
  const declared = parseModelsText(
    JSON.stringify({
      data: [
        { ...MODEL, dialect: 'messages' },
        { ...MODEL, id: 'm/two' },
      ],
    }),
    (document) => endpointDeclarations({ ...PROVIDER, dialect: 'chat' }, document),
  );
  assert.equal(
    declared.map(({ target }) => target.dialect),
    ['messages', 'chat'],
  );
  assert.throws(
    () => parseModelsText(JSON.stringify({ data: [{ ...MODEL, dialect: 'video-jobs' }] }), (document) => document),
    /dialect is "video-jobs" and must be one of chat, messages/,
  );
});

/** One model with these outputs, and with these members in place of those of `MODEL`. */
function declaredWith(dialect: TurnDialect, outputs: readonly object[], members: object = {}): EndpointDeclaration {
  const text = JSON.stringify({ data: [{ ...MODEL, output_modalities: outputs, ...members }] });
  return parseModelsText(text, (document) => endpointDeclarations({ ...PROVIDER, dialect }, document))[0] as never;
}

it('embeddings alone are served in the form of OpenAI, unless the dialect of the provider has an own one', () => {
  const vectors = {
    type: 'embeddings',
    supported_parameters: {
      dimensions: { type: 'enum', values: [64, 32] },
      input_type: { type: 'unknown' },
    },
  };
  for (const dialect of ['chat', 'messages', 'ollama'] as const) {
    const alone = declaredWith(dialect, [vectors]);
    assert.equal(alone.outputModalities, ['embeddings']);
    assert.is(alone.target.dialect, dialect === 'ollama' ? dialect : 'embeddings');
    assert.equal([alone.tariff.prompt, alone.tariff.completion], ['0.000001', '0']);
    assert.equal(alone.supportedParameters, ['dimensions', 'input_type']);
    assert.equal(alone.descriptors, { dimensions: { type: 'enum', values: [64, 32] } });
    assert.equal(alone.dimensions, [64, 32]);
    const beside = declaredWith(dialect, [OUTPUT, vectors]);
    assert.equal(beside.outputModalities, ['text']);
    assert.is(beside.target.dialect, dialect);
    assert.not.ok(beside.supportedParameters.includes('dimensions'));
  }
});

it('rankings stand alone, in a form of their own or in that of Cohere; searches make tokens free', () => {
  const ranks = { type: 'rerank', supported_parameters: { max_tokens_per_doc: { type: 'unknown' } } };
  for (const dialect of ['chat', 'cohere'] as const) {
    const alone = declaredWith(dialect, [ranks]);
    assert.equal(
      [alone.target.dialect, alone.outputModalities],
      [dialect === 'cohere' ? dialect : 'rerank', ['rerank']],
    );
    assert.equal(alone.supportedParameters, ['max_tokens_per_doc']);
    assert.equal([alone.tariff.prompt, alone.tariff.completion], ['0.000001', '0']);
  }
  const pricing = [{ type: 'request', unit: 'search', cost_usd: '0.002' }];
  const text = { type: 'text', supported_inputs: { max_context_length: { value: 8_192 } } };
  const { id: _, ...tariff } = declaredWith('cohere', [ranks], { pricing, input_modalities: [text] }).tariff;
  assert.equal(tariff, { completion: '0', prompt: '0', search: '0.002', discount: 0 });
});

it('leaves out a model that is not ready or has no served output modality', () => {
  const data = [
    { ...MODEL, is_ready: false },
    {
      ...MODEL,
      id: 'm/writes-down',
      input_modalities: [{ type: 'text' }],
      output_modalities: [{ type: 'transcription', supported_parameters: {} }],
    },
    { ...MODEL, id: 'm/two' },
  ];
  const kept = parseModelsText(JSON.stringify({ data }), (document) => endpointDeclarations(PROVIDER, document));
  assert.equal(
    kept.map(({ model }) => model),
    ['m/two'],
  );
});

it('the demo declares at least eight models over four providers and covers every ability', () => {
  const slugs = ['sim-a', 'sim-b', 'sim-c', 'sim-d'];
  const all = slugs.flatMap((slug) => {
    const provider = simulatedProvider(slug, 'http://x/v1');
    return parseModelsText(JSON.stringify(modelsDocument(slug)), (document) =>
      endpointDeclarations(provider, document),
    );
  });
  assert.ok(new Set(all.map(({ model }) => model)).size >= 8);
  assert.is(new Set(all.map(({ provider }) => provider.slug)).size, 4);
  const some = (what: string, test: (endpoint: EndpointDeclaration) => boolean): void =>
    assert.ok(all.some(test), what);
  some('tools', ({ supportedParameters }) => supportedParameters.includes('tools'));
  some('effort none', ({ reasoning }) => reasoning?.efforts?.includes('none') === true);
  some('vision', ({ inputs }) => inputs.image !== undefined);
  some('pictures', ({ envelopes }) => envelopes.image !== undefined);
  some('speech', ({ envelopes }) => envelopes.speech !== undefined);
  some('structured outputs', ({ supportedParameters }) => supportedParameters.includes('structured_outputs'));
  some('a small window', ({ contextLength }) => contextLength <= 2_048);
  some('messages', ({ target }) => target.dialect === 'messages');
  some('an approved claim', ({ compliance }) => compliance?.zdr === 'approved');
  some('a claim under review', ({ compliance }) => compliance?.zdr === 'pending');
  some('tiers and windows', ({ tariff }) => (tariff.overrides?.length ?? 0) >= 3 && tariff.discount > 0);
});

test.run();
