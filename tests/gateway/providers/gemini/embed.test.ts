import { GoogleGenAI } from '@google/genai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import type { Adapter } from '../../../../gateway/providers/adapter.ts';
import { adapterOf } from '../../../../gateway/providers/call/target.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { startSimulator } from '../../../../gateway/simulator/simulator.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);
const simulator = await startSimulator({ name: 'sim' });
test.after(() => simulator.close());

const TARGET: Endpoint['target'] = {
  dialect: 'gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  upstreamId: 'gemini-3-pro',
};
const EMBEDS = endpointOf({
  target: TARGET,
  outputModalities: ['embeddings'],
  supportedParameters: ['dimensions'],
});
const INPUTS: Turn['messages'] = [
  { role: 'user', text: 'one' },
  { role: 'user', text: 'two' },
];

it('each input is a request for a vector of the wanted width, and each vector is that of its input', () => {
  const adapter = adapterOf(EMBEDS) as Adapter;
  assert.is(adapter.address(TARGET, false), '/models/gemini-3-pro:batchEmbedContents');
  const asked = turnOf({ messages: INPUTS, sampling: { dimensions: 2 } });
  const { requests } = JSON.parse(adapter.writer(EMBEDS)(asked, 0) as string) as { requests: unknown[] };
  assert.equal(requests[1], {
    model: 'models/gemini-3-pro',
    content: { parts: [{ text: 'two' }] },
    outputDimensionality: 2,
  });
  const vectors = [{ values: [1, 0] }, { values: [0, 1] }];
  const read = (answer: object): readonly TurnEvent[] => {
    const events: TurnEvent[] = [];
    adapter.reader(String, undefined, asked).readWhole(answer as Record<string, unknown>, events);
    return events;
  };
  assert.equal(read({ embeddings: vectors })[0], {
    type: 'embeddings',
    vectors: [
      [1, 0],
      [0, 1],
    ],
  });
  for (const embeddings of [vectors.slice(1), [{ values: [1] }, { values: [1] }], [null, {}]]) {
    assert.is(thrownBy(() => read({ embeddings }), ProviderFailure).reason, 'garbage');
  }
  const tokens = turnOf({ messages: [{ role: 'user', text: '', tokens: [1, 2] }] });
  const refused = thrownBy(() => adapter.writer(EMBEDS)(tokens, 0), ProviderFailure);
  assert.equal(refused.refusal, { code: 'unsupported_parameter', param: 'input' });
});

it('Vertex is called by the method of its model, and the counts of its vectors are added', () => {
  const vertex = { ...TARGET, wire: { credential: 'google-service-account' } } as const;
  const express = { ...TARGET, baseUrl: 'https://aiplatform.googleapis.com/v1/publishers/google' };
  for (const [target, method] of [
    [{ ...vertex, upstreamId: 'text-embedding-005' }, 'predict'],
    [{ ...express, upstreamId: 'gemini-embedding-001' }, 'predict'],
    [{ ...vertex, upstreamId: 'gemini-embedding-2' }, 'embedContent'],
    [{ ...TARGET, upstreamId: 'gemini-embedding-2' }, 'batchEmbedContents'],
  ] as const) {
    const adapter = adapterOf({ ...EMBEDS, target }) as Adapter;
    assert.is(adapter.address(target, false), `/models/${target.upstreamId}:${method}`);
  }
  const usageOf = (...counts: unknown[]): unknown => {
    const asked = turnOf({ messages: INPUTS });
    const predictions = counts.map((token_count) => ({ embeddings: { values: [1], statistics: { token_count } } }));
    const reader = (adapterOf(EMBEDS) as Adapter).reader(String, undefined, asked);
    reader.readWhole({ predictions }, []);
    return reader.usage;
  };
  assert.equal(usageOf(3, 4), { promptTokens: 7, completionTokens: 0 });
  assert.equal(usageOf(3, undefined), { completionTokens: 0 });
  assert.equal(usageOf(3, -1), { completionTokens: 0 });
});

it('the client of the service reads the vectors of the simulated provider', async () => {
  const httpOptions = { baseUrl: `http://127.0.0.1:${simulator.port}/strict/google`, apiVersion: 'v1' };
  const client = new GoogleGenAI({ apiKey: 'k', httpOptions });
  const ask = { model: 'gemini-embedding-001', contents: ['one', 'two'], config: { outputDimensionality: 4 } };
  const { embeddings = [] } = await client.models.embedContent(ask);
  assert.equal(
    embeddings.map(({ values }) => values?.length),
    [4, 4],
  );
  assert.is.not(String(embeddings[0]?.values), String(embeddings[1]?.values));
  const vertex = new GoogleGenAI({ vertexai: true, apiKey: 'k', httpOptions });
  const told = await vertex.models.embedContent(ask);
  assert.equal(
    told.embeddings?.map(({ values }) => values),
    embeddings.map(({ values }) => values),
  );
  assert.ok((told.embeddings?.[0]?.statistics?.tokenCount ?? 0) > 0);
  const newer = await vertex.models.embedContent({ ...ask, model: 'gemini-embedding-2', contents: 'one' });
  assert.equal(newer.embeddings?.[0]?.values, embeddings[0]?.values);
});

test.run();
