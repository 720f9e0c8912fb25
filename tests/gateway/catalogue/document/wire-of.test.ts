import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Wire } from '../../../../actors/terms/wire.ts';
import { endpointDeclarations } from '../../../../gateway/catalogue/document/endpoint-declaration.ts';
import {
  BrokenDocument,
  modelsWarnings,
  parseModelsValue,
} from '../../../../gateway/catalogue/document/models-document.ts';
import type { ProviderDeclaration } from '../../../../gateway/terms/provider-declaration.ts';
import { MODEL } from '../../../fixtures/models/plain.ts';

const PROVIDER = { slug: 'p', name: 'P', baseUrl: 'http://x/v1', models: 'none' };

function declared(provider: Partial<ProviderDeclaration>, model: object) {
  const [endpoint] = parseModelsValue({ data: [{ ...MODEL, ...model }] }, (document) =>
    endpointDeclarations({ ...PROVIDER, ...provider }, document),
  );
  assert.ok(endpoint);
  return endpoint;
}

const wireOf = (provider: Partial<ProviderDeclaration>, wire?: object): Wire | undefined =>
  declared(provider, wire === undefined ? {} : { wire }).target.wire;

function faultOf(wire: object): string {
  try {
    wireOf({}, wire);
  } catch (error) {
    assert.ok(error instanceof BrokenDocument);
    return error.message;
  }
  throw new Error(`${JSON.stringify(wire)} was accepted`);
}

test('an endpoint without a declaration has no wire, and one with every member has them resolved', () => {
  assert.is(wireOf({}), undefined);
  assert.equal(
    wireOf(
      {},
      {
        rename: { seed: 'random_seed' },
        omit: ['user'],
        exclusive: [['temperature', 'top_p']],
        thinking_switch: { path: 'thinking.type', on: 'enabled', off: { a: 1 } },
        reasoning_history: 'parts',
        tool_id: '[A-C0-1_-]{3,12}',
        cache_control: true,
        system_role: 'developer',
        ceiling: 'asked',
        headers: { 'anthropic-beta': 'context-1m' },
        query: { 'api-version': 'preview' },
        credential: 'none',
      },
    ),
    {
      rename: { seed: 'random_seed' },
      omit: ['user'],
      exclusive: [['temperature', 'top_p']],
      thinkingSwitch: { path: ['thinking', 'type'], on: 'enabled', off: { a: 1 } },
      reasoningHistory: 'parts',
      toolId: { characters: 'ABC01_-', min: 3, max: 12 },
      cacheControl: true,
      systemRole: 'developer',
      ceiling: 'asked',
      headers: { 'anthropic-beta': 'context-1m' },
      query: { 'api-version': 'preview' },
      credential: 'none',
    },
  );
});

test('the model wins over its provider and the provider over the preset, member by member, maps by name', () => {
  const provider = { preset: 'mistral', wire: { rename: { top_k: 'k' }, tool_id: '[0-9]{10}', ceiling: 'asked' } };
  const wire = wireOf(provider, { tool_id: '[0-9]{11}', rename: { seed: 'seed_of' }, omit: [] });
  assert.equal(wire, {
    rename: { seed: 'seed_of', dimensions: 'output_dimension', top_k: 'k' },
    toolId: { characters: '0123456789', min: 11, max: 11 },
    ceiling: 'asked',
    reasoningHistory: 'parts',
  });
  assert.equal(wireOf({ preset: 'mistral' }, { preset: 'deepseek' }), wireOf({ wire: { preset: 'deepseek' } }));
});

test('the dialect is that of the preset unless the provider or the model declares another one', () => {
  assert.is(declared({ preset: 'anthropic' }, {}).target.dialect, 'messages');
  assert.is(declared({ preset: 'anthropic', dialect: 'chat' }, {}).target.dialect, 'chat');
  assert.is(declared({ preset: 'groq' }, { dialect: 'messages' }).target.dialect, 'messages');
  assert.is(declared({}, {}).target.dialect, 'chat');
});

test('a parameter that is never sent is not supported', () => {
  const [output] = MODEL.output_modalities;
  const both = {
    output_modalities: [{ ...output, supported_parameters: { seed: { type: 'unknown' }, top_p: { type: 'unknown' } } }],
  };
  assert.equal(declared({}, both).supportedParameters, ['seed', 'top_p']);
  assert.equal(declared({}, { ...both, wire: { omit: ['seed'] } }).supportedParameters, ['top_p']);
});

test('a declaration that cannot be is refused with its member', () => {
  assert.match(faultOf({ omit: ['model'] }), /^data\[0\]\.wire: model is always sent under this name/);
  assert.match(faultOf({ rename: { seed: 'messages' } }), /messages is always sent/);
  assert.match(faultOf({ headers: { Authorization: 'Bearer x' } }), /^data\[0\]\.wire\.headers\.Authorization is made/);
  assert.match(faultOf({ headers: { 'x-a': 'b\r\nc: d' } }), /headers\.x-a is .* must be visible ASCII text/);
  assert.match(faultOf({ tool_id: '[A-Z]{9,3}' }), /tool_id is \[A-Z\]\{9,3\} and must be/);
  assert.match(faultOf({ tool_id: '[aa]{9}' }), /tool_id is \[aa\]\{9\} and must be/);
  assert.match(faultOf({ tool_id: 'x+' }), /tool_id is "x\+" and must be/);
  assert.match(faultOf({ preset: 'nobody' }), /preset is "nobody" and must be one of deepseek, groq/);
  assert.match(faultOf({ credential: 'secret' }), /credential is "secret" and must be one of bearer/);
  assert.match(faultOf({ key_file: 'a' }), /wire\.key_file is an unknown member/);
});

test('no declaration changes what decides the hold, how an answer is read, or the frame of a call', () => {
  for (const name of ['stream', 'max_output_tokens', 'inferenceConfig', 'candidateCount', 'store', 'contents']) {
    assert.match(faultOf({ omit: [name] }), /is always sent/, name);
    assert.match(faultOf({ rename: { seed: name } }), /is always sent/, name);
    assert.match(faultOf({ rename: { [name]: 'other' } }), /is always sent/, name);
    assert.match(faultOf({ thinking_switch: { path: name, off: 1_000_000 } }), /is always sent/, name);
  }
  assert.match(faultOf({ thinking_switch: { path: 'max_tokens', off: 1_000_000 } }), /max_tokens is always sent/);
  assert.match(faultOf({ thinking_switch: { path: '__proto__.a', off: 1 } }), /is always sent/);
  for (const name of ['Expect', 'TE', 'Proxy-Authorization', 'X-Amz-Date', 'Cookie', 'Upgrade', 'content-encoding']) {
    assert.match(faultOf({ headers: { [name]: 'x' } }), /is made for each call/, name);
  }
  assert.match(faultOf({ tool_id: '[0-9]{2}' }), /tool_id is .* with billions of ids/);
});

test('a declaration without effect is a warning', () => {
  const warned = (wire: object): readonly string[] => modelsWarnings({ data: [{ ...MODEL, wire }] });
  assert.equal(warned({ omit: ['user'], rename: { user: 'end_user_id' } }), [
    'data[0].wire.rename.user renames a member that is never sent',
  ]);
  assert.match(warned({ rename: { nothing: 'other' } })[0] as string, /rename\.nothing renames a member/);
  assert.match(warned({ thinking_switch: { path: 'think', off: false } })[0] as string, /declares no reasoning/);
  assert.equal(warned({ rename: { user: 'end_user_id' } }), []);
});

test.run();
