import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { priceChanges } from '../../../../gateway/catalogue/declare/price-changes.ts';
import { knownParameters } from '../../../../gateway/catalogue/document/document-warnings.ts';
import { endpointDeclarations } from '../../../../gateway/catalogue/document/endpoint-declaration.ts';
import {
  BrokenDocument,
  modelsWarnings,
  parseModelsText,
} from '../../../../gateway/catalogue/document/models-document.ts';
import { parse } from '../../../../gateway/dialects/chat/parse.ts';
import { chatRequest } from '../../../../gateway/dialects/chat/request-schema.ts';
import { completionRequest } from '../../../../gateway/dialects/completions/request-schema.ts';
import { videoRequestSchema } from '../../../../gateway/jobs/video/video-schema.ts';
import { simulatedProviders } from '../../../../gateway/simulator/models-document.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';
import { modelsDocument } from '../../../support/provider/simulated-provider.ts';
import { CHAT } from '../../dialects/request/whole-requests.ts';

const PROVIDER = { slug: 'p', name: 'P', baseUrl: 'http://x/v1', models: 'none' };
const [INPUT] = MODEL.input_modalities;
const [OUTPUT] = MODEL.output_modalities;

const text = (...models: readonly object[]): string => JSON.stringify({ data: models }, null, 1);
const warned = (model: object): readonly string[] => modelsWarnings({ data: [{ ...MODEL, ...model }] } as object);
const withParameters = (supported_parameters: object): object => ({
  output_modalities: [{ ...OUTPUT, supported_parameters }],
});

test('a model without any price is served free, which is a warning unless it says so', () => {
  const unpriced = {
    input_modalities: [{ ...INPUT, pricing: undefined }],
    output_modalities: [{ ...OUTPUT, pricing: [] }],
  };
  assert.equal(warned(unpriced), ['data[0] m/one has no price and is served free; add prices, or is_free: true']);
  assert.equal(warned({ ...unpriced, is_free: true }), []);
  assert.equal(warned({ ...unpriced, is_ready: false }), []);
  // A price under a key that the catalogue does not have is none.
  const lost = [{ type: 'prompt', unit: 'second', cost_usd: '1' }];
  assert.match(warned({ ...unpriced, input_modalities: [{ ...INPUT, pricing: lost }] })[0] as string, /served free/);
  assert.equal(warned({ output_modalities: unpriced.output_modalities }), [
    'data[0] m/one has no price for completion tokens, which are served free',
  ]);
  assert.equal(warned({}), []);
});

test('an inverted range and an unknown parameter are warnings, with line and the nearest name', () => {
  const supported_parameters = {
    temprature: { type: 'range', min: 0, max: 2 },
    top_p: { type: 'range', min: 1, max: 0 },
    seed: { type: 'integer', min: 5, max: 4 },
    wholly_different: { type: 'unknown' },
    tools: { type: 'array', min_items: 3, max_items: 2, items: { type: 'integer', min: 1, max: 0 } },
    reasoning: { type: 'object', properties: { effort: { type: 'range', min: 2, max: 1 } } },
  };
  const json = text({ ...MODEL, ...withParameters(supported_parameters) });
  const lines = json.split('\n');
  const at = 'data[0].output_modalities[0].supported_parameters';
  const warnings = modelsWarnings(json);
  assert.equal(
    warnings.map((each) => each.replace(/^line \d+: /, '')),
    [
      `${at}.temprature is a parameter that no request can set; did you mean temperature?`,
      `${at}.top_p has the minimum 1 above its maximum 0 and admits no value`,
      `${at}.seed has the minimum 5 above its maximum 4 and admits no value`,
      `${at}.wholly_different is a parameter that no request can set`,
      `${at}.tools has the minimum 3 above its maximum 2 and admits no value`,
      `${at}.tools.items has the minimum 1 above its maximum 0 and admits no value`,
      `${at}.reasoning.properties.effort has the minimum 2 above its maximum 1 and admits no value`,
    ],
  );
  const line = Number(/^line (\d+)/.exec(warnings[0] as string)?.[1]);
  assert.match(lines[line - 1] as string, /temprature/);
});

test('every setting of a request is a known parameter, and every known one of text and video is a member', () => {
  const settings = Object.keys(parse(CHAT).sampling);
  assert.ok(settings.length > 10);
  const text = { ...completionRequest.properties, ...chatRequest.properties };
  for (const name of settings) assert.ok(knownParameters('text').includes(name), name);
  for (const name of knownParameters('text')) assert.ok(name in text, name);
  for (const name of knownParameters('video')) assert.ok(name in videoRequestSchema.properties, name);
});

test('the models of the simulated providers have no warnings', () => {
  for (const slug of Object.keys(simulatedProviders())) {
    assert.equal(modelsWarnings(JSON.stringify(modelsDocument(slug))), [], slug);
  }
});

test('a price that changes by more than ten times in either direction, or goes, is a warning', () => {
  const priced = (prompt: string, completion: string | null) =>
    parseModelsText(
      text({
        ...MODEL,
        input_modalities: [{ ...INPUT, pricing: [{ type: 'prompt', unit: 'token', cost_usd: prompt }] }],
        output_modalities: [
          {
            ...OUTPUT,
            pricing: completion === null ? [] : [{ type: 'completion', unit: 'token', cost_usd: completion }],
          },
        ],
      }),
      (document) => endpointDeclarations(PROVIDER, document),
    );
  const before = priced('0.000001', '0.000002');
  assert.equal(priceChanges(before, priced('0.00001', '0.0000002')), []);
  assert.equal(priceChanges(before, priced('0.00001000000000000000000000000001', '0.00000019')), [
    'm/one: the prompt price changes from 0.000001 to 0.00001000000000000000000000000001 USD',
    'm/one: the completion price changes from 0.000002 to 0.00000019 USD',
  ]);
  assert.equal(priceChanges(before, priced('0', null)), [
    'm/one: the prompt price changes from 0.000001 to 0 USD',
    'm/one: the completion price of 0.000002 USD is gone',
  ]);
  assert.equal(priceChanges([], before), []);
});

test('every fault of a document is listed: those of its shape, and those of its models with a sound shape', () => {
  const twice = [{ type: 'prompt', unit: 'token', cost_usd: '1' }];
  const json = text(
    { ...MODEL, name: 5, surprise: true, ...withParameters({ top_k: { type: 'range', min: 'x' } }) },
    { ...MODEL, id: 'two', input_modalities: [{ type: 'text', pricing: [...twice, ...twice] }] },
    { ...MODEL, id: 'm/three', quantization: 'q4', created: undefined },
    MODEL,
    MODEL,
  );
  let faults: readonly string[] = [];
  try {
    parseModelsText(json, (document) => endpointDeclarations(PROVIDER, document));
  } catch (error) {
    assert.instance(error, BrokenDocument);
    faults = (error as BrokenDocument).faults;
    assert.is((error as Error).message, `${faults[0]} (and ${faults.length - 1} more)`);
  }
  const found = faults.map((each) => each.replace(/^line \d+: /, ''));
  for (const start of [
    'data[0].surprise is an unknown member',
    'data[0].name is 5',
    'data[0].output_modalities[0].supported_parameters.top_k.max is missing',
    'data[0].output_modalities[0].supported_parameters.top_k.min is "x"',
    'data[2].created is missing',
    'data[2].quantization is "q4"',
    'data[1].id is "two", which is not author/slug',
    'data[1].input_modalities[0]: supported_inputs.max_context_length of its text is missing',
    'data[1].input_modalities[0].pricing[1] duplicates another price',
    'data[4].id: m/one is declared twice',
  ]) {
    assert.is(found.filter((each) => each.startsWith(start)).length, 1, `${start}\n${found.join('\n')}`);
  }
  assert.is(found.length, 10, found.join('\n'));
});

test('at most 50 faults are listed', () => {
  const models = Array.from({ length: 80 }, (_, nth) => ({ ...MODEL, id: `m/${nth}`, name: 5 }));
  try {
    parseModelsText(text(...models), (document) => endpointDeclarations(PROVIDER, document));
    assert.unreachable();
  } catch (error) {
    assert.is((error as BrokenDocument).faults.length, 50);
  }
});

test.run();
