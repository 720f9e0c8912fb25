import { createCohere } from '@ai-sdk/cohere';
import { OpenRouter } from '@openrouter/sdk';
import { rerank } from 'ai';
import { CohereClientV2 } from 'cohere-ai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/**
 * Rankings, with the SDKs. `sim/ranker` is served by sim-a at 0.002 USD a search and by sim-b at 2e-8 USD a token; both
 * rank by the words that a document shares with the query.
 */
const it = bounded(test);

const { cluster, funded, send } = await openApi(test, openCluster);
const base = cluster.baseUrls[0] as string;

const MODEL = 'sim/ranker';
const QUERY = 'the river in the morning';
const DOCUMENTS = ['A mill behind the hill.', 'The river in the morning is grey.', 'Morning in the city.'];
const ORDER = [1, 2, 0];

it('the Cohere SDK ranks texts under its own path', async () => {
  const client = new CohereClientV2({ token: funded.key, environment: base });
  const { results } = await client.rerank({ model: MODEL, query: QUERY, documents: DOCUMENTS, topN: 2 });
  assert.equal(
    results.map(({ index }) => index),
    ORDER.slice(0, 2),
  );
  assert.ok((results[0]?.relevanceScore ?? 0) > (results[1]?.relevanceScore ?? 0));
});

it('the AI SDK ranks', async () => {
  const model = createCohere({ apiKey: funded.key, baseURL: base }).reranking(MODEL);
  const { ranking, rerankedDocuments } = await rerank({ model, query: QUERY, documents: DOCUMENTS, topN: 1 });
  assert.equal(
    ranking.map(({ originalIndex }) => originalIndex),
    [1],
  );
  assert.equal(rerankedDocuments, [DOCUMENTS[1]]);
});

it('the OpenRouter SDK, which validates every member, ranks texts and objects', async () => {
  const router = new OpenRouter({ apiKey: funded.key, serverURL: base, retryConfig: { strategy: 'none' } });
  const documents = [DOCUMENTS[0] as string, { text: DOCUMENTS[1] as string }, DOCUMENTS[2] as string];
  const answer = await router.rerank.rerank({
    requestBody: { model: MODEL, query: QUERY, documents, provider: { only: ['sim-b'] } },
  });
  if (typeof answer === 'string') throw new Error(answer);
  assert.equal(
    answer.results.map(({ index, document }) => [index, document.text]),
    ORDER.map((at) => [at, DOCUMENTS[at]]),
  );
  assert.ok((answer.usage?.totalTokens ?? 0) > 0 && (answer.usage?.cost ?? 0) > 0);
});

it('the charge is exact by its record and the balance: by the search at one provider, by the token at the other', async () => {
  const payer = await cluster.fund('1');
  const costs: number[] = [];
  for (const only of ['sim-a', 'sim-b']) {
    const body = { model: MODEL, query: QUERY, documents: DOCUMENTS, provider: { only: [only] } };
    const answer = await send('/rerank', { body, key: payer.key });
    const { id, usage } = (await answer.json()) as { id: string; usage: Record<string, number> };
    const record = (await (await send(`/generation?id=${id}`, { key: payer.key })).json()) as {
      data: Record<string, unknown>;
    };
    assert.equal([record.data.total_cost, record.data.api_type], [usage.cost, 'rerank']);
    if (only === 'sim-a') assert.equal([usage.search_units, usage.cost], [1, 0.002]);
    else assert.is(Math.round((usage.cost as number) * 1e9), (usage.total_tokens as number) * 20);
    costs.push(usage.cost as number);
  }
  const credits = (await (await send('/credits', { key: payer.key })).json()) as { data: { total_usage: number } };
  assert.is(credits.data.total_usage.toFixed(12), costs.reduce((sum, cost) => sum + cost, 0).toFixed(12));
});

it('a chat model ranks nothing and a ranker does not chat: 503 names the modality', async () => {
  const refused = await send('/rerank', { body: { model: 'sim/fast', query: 'q', documents: ['d'] } });
  assert.is(refused.status, 503);
  assert.match(await refused.text(), /rerank is not supported/);
  const chat = await send('/chat/completions', { body: { model: MODEL, messages: [{ role: 'user', content: 'x' }] } });
  assert.is(chat.status, 503);
  assert.match(await chat.text(), /text is not supported/);
});

it('the catalogue lists the rankers with the price of a search', async () => {
  const listed = await send('/models?output_modalities=rerank', { key: null });
  const { data } = (await listed.json()) as { data: { id: string; architecture: { output_modalities: string[] } }[] };
  assert.equal(
    data.map(({ id, architecture }) => [id, architecture.output_modalities]),
    [[MODEL, ['rerank']]],
  );
  const endpoints = await (await send(`/models/${MODEL}/endpoints`, { key: null })).text();
  assert.match(endpoints, /"search":"0\.002"/);
});

test.run();
