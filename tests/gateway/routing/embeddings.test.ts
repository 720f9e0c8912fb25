import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { honoured } from '../../../gateway/routing/honoured.ts';
import { plan } from '../../../gateway/routing/plan.ts';
import { promptNeeds } from '../../../gateway/routing/prompt-needs.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import type { Rejection } from '../../../gateway/terms/plan.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { loadVocabulary } from '../../../gateway/tokens/vocabulary.ts';
import { bounded } from '../../support/bounded.ts';
import { thrownBy } from '../../support/failure-of.ts';
import { endpointOf } from '../../support/model/endpoints.ts';
import { turnOf } from '../providers/scene.ts';

/** rule I105, rule I107. */
const it = bounded(test);

test.before(async () => {
  await loadVocabulary('cl100k_base');
});

const MODALITIES = { input: [], output: ['embeddings'] } as const;
const inputs = (...texts: string[]): Turn['messages'] => texts.map((text) => ({ role: 'user', text }));

function asking(requested: Partial<Turn> = {}): Turn {
  return turnOf({ kind: 'vectors', models: ['author/model'], modalities: MODALITIES, ...requested });
}

const targetBy = (dialect: Endpoint['target']['dialect']): Endpoint['target'] => ({
  dialect,
  baseUrl: 'https://p.test/v1',
  upstreamId: 'm',
});

function boardOf(...declared: Partial<Endpoint>[]): ReadonlyMap<string, Json> {
  const endpoints = declared.map((each, at) =>
    endpointOf({
      ...{ id: `ep_${at}`, model: 'author/model', outputModalities: ['embeddings'], contextLength: 10 },
      target: targetBy('embeddings'),
      ...{ tokenizer: 'cl100k_base', promptTokensMax: null, supportedParameters: [], descriptors: {} },
      ...{ tariff: { id: `t${at}`, prompt: '1', completion: '0', discount: 0 } },
      ...each,
    }),
  );
  return new Map(endpoints.map((endpoint) => [endpoint.id, endpoint as unknown as Json]));
}

function refused(turn: Turn, board: ReadonlyMap<string, Json>): GatewayError {
  return thrownBy(() => plan(turn, board, 0), GatewayError);
}

it('only the tokens of the inputs count, each input has a whole window, and nothing is completed', () => {
  const texts = Array(50).fill('one two three');
  const [candidate] = plan(asking({ messages: inputs(...texts) }), boardOf({}), 0).candidates;
  assert.is(candidate?.prompt.counted, 150);
  assert.is(candidate?.completionTokensMax, 0);
  assert.ok((candidate?.prompt.held ?? 0) > 150);
  const messages = [{ role: 'user', text: '', tokens: [1, 2, 3, 4] }] as const;
  assert.is(plan(asking({ messages }), boardOf({}), 0).candidates[0]?.prompt.counted, 4);
});

it('an input may fill a window exactly; a longer one is refused by its place (rule I105)', () => {
  const full = Array(10).fill('one').join(' ');
  assert.is(plan(asking({ messages: inputs('a', full) }), boardOf({}), 0).candidates.length, 1);
  const error = refused(asking({ messages: inputs('a', `${full} more`) }), boardOf({}, { promptTokensMax: 4 }));
  assert.equal([error.status, error.type], [400, 'context_length_exceeded']);
  assert.match(error.message, /input\[1\] has about 11 tokens, at most 10 are accepted/);
  const [first, ...others] = plan(
    asking({ messages: inputs(full) }),
    boardOf({ promptTokensMax: 4 }, {}),
    0,
  ).candidates;
  assert.equal([first?.endpoint.id, others], ['ep_1', []]);
});

it('300,000 tokens of all inputs are the most, whatever the windows (rule I105)', () => {
  const messages = (tokens: number): Turn['messages'] => [
    { role: 'user', text: '', tokens: Array(tokens).fill(1) },
    ...inputs('one'),
  ];
  const board = boardOf({ contextLength: 1_000_000 });
  assert.is(plan(asking({ messages: messages(299_999) }), board, 0).candidates.length, 1);
  const error = refused(asking({ messages: messages(300_000) }), board);
  assert.equal([error.status, error.type], [400, 'invalid_request']);
  assert.match(error.message, /^input must have at most 300000 tokens in total; it has about 300001$/);
  assert.is(promptNeeds(asking(), board).windowMax, 300_000);
});

it('chat and embeddings never meet (rule I107)', () => {
  const text = boardOf({ outputModalities: ['text'] });
  assert.equal(refused(asking(), text).metadata?.rejections, [
    { provider: endpointOf().provider.slug, endpoint: endpointOf().tag, reason: 'modality', detail: 'embeddings' },
  ]);
  assert.match(
    refused(turnOf({ models: ['author/model'] }), boardOf({ contextLength: 1_000 })).message,
    /text is not supported/,
  );
});

it('where characters are priced, token ids are not taken: they would be embedded free', () => {
  const priced = { tariff: { id: 'c', character: '1', discount: 0 } };
  const messages = [{ role: 'user', text: '', tokens: [1] }] as const;
  assert.match(
    refused(asking({ messages }), boardOf(priced)).message,
    /token ids, where characters are priced, is not supported/,
  );
  assert.is(plan(asking(), boardOf(priced), 0).candidates.length, 1);
});

it('token ids go to an endpoint whose wire has a form for them, and are refused by the name of the member without one (rule I105)', () => {
  const messages = [{ role: 'user', text: '', tokens: [1, 2] }] as const;
  for (const dialect of ['gemini', 'cohere', 'ollama'] as const) {
    const texts = { target: targetBy(dialect) };
    const [candidate, ...more] = plan(asking({ messages }), boardOf(texts, {}), 0).candidates;
    assert.equal([candidate?.endpoint.id, more], ['ep_1', []]);
    const error = refused(asking({ messages }), boardOf(texts));
    assert.match(error.message, /an input of token ids is not supported/);
    const [rejection] = (error.metadata as { readonly rejections: readonly [Rejection] }).rejections;
    const { reason, member, detail } = rejection;
    assert.equal([reason, member, detail], ['source', 'input', 'an input of token ids']);
    assert.is(plan(asking(), boardOf(texts), 0).candidates.length, 1);
  }
});

it('the cheapest prompt is first by price, and a cap on completions does not concern vectors', () => {
  const board = boardOf(
    { tariff: { id: 'a', prompt: '0.000002', completion: '0', discount: 0 } },
    { tariff: { id: 'b', prompt: '0.000001', completion: '0', discount: 0 } },
  );
  const byPrice = asking({ preferences: { allowFallbacks: true, sort: 'price' } });
  assert.equal(
    plan(byPrice, board, 0.5).candidates.map(({ endpoint }) => endpoint.id),
    ['ep_1', 'ep_0'],
  );
  const capped = asking({ preferences: { allowFallbacks: true, priceMax: { prompt: '1', completion: '0' } } });
  assert.equal(
    plan(capped, board, 0.5).candidates.map(({ endpoint }) => endpoint.id),
    ['ep_1'],
  );
});

it('the width is a setting that an endpoint has to declare; the output is none', () => {
  const turn = asking({ sampling: { dimensions: 8 } });
  const wide = {
    supportedParameters: ['dimensions'],
    descriptors: { dimensions: { type: 'enum', values: [8] } },
  } as const;
  const [candidate, ...others] = plan(
    turn,
    boardOf({}, wide, { ...wide, descriptors: { dimensions: { type: 'integer', min: 9 } } }),
    0,
  ).candidates;
  assert.equal([candidate?.endpoint.id, others], ['ep_1', []]);
  assert.equal(honoured(turn, candidate?.endpoint as Endpoint, 0), { dimensions: true });
  assert.match(refused(turn, boardOf({})).message, /dimensions is not declared/);
});

test.run();
