/** Rankings on the wires of providers: what is written, and which answers are believed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cohereRerankAdapter } from '../../../../gateway/providers/cohere/rerank.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { rerankAdapter } from '../../../../gateway/providers/rerank/adapter.ts';
import { RankingReader } from '../../../../gateway/providers/rerank/reply-reader.ts';
import type { Turn, TurnMessage } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);
const TEXTS: readonly TurnMessage[] = ['a', 'b', 'c'].map((text) => ({ role: 'user', text }));
const PICTURE: TurnMessage = {
  role: 'user',
  text: '',
  parts: [{ type: 'image', source: { kind: 'url', url: 'https://a.example/x.png' } }],
};

const asked = (members: Partial<Turn> = {}): Turn =>
  turnOf({ messages: TEXTS, ranking: { query: 'q', most: 2 }, ...members });

function written(adapter: typeof rerankAdapter, members: Partial<Turn> = {}): unknown {
  const target = { dialect: 'rerank', baseUrl: 'https://alpha.example/v1', upstreamId: 'rank-1' } as const;
  const own = endpointOf().provider.slug;
  const options = { [own]: { truncation: false, query: 'another', top_n: 9 } };
  const passthrough = {
    truncation: { type: 'unknown' },
    query: { type: 'unknown' },
    top_n: { type: 'unknown' },
  } as const;
  const endpoint = endpointOf({ target, supportedParameters: ['max_tokens_per_doc'], passthrough });
  const preferences = { allowFallbacks: true, options };
  return JSON.parse(String(adapter.writer(endpoint)(asked({ preferences, ...members }), 0)));
}

function read(answer: object, most = 2): { usage: object; ranks: unknown } {
  const reader = new RankingReader(asked({ ranking: { query: 'q', most } }));
  const events: TurnEvent[] = [];
  reader.readWhole(answer as Readonly<Record<string, unknown>>, events);
  assert.equal(
    events.map(({ type }) => type),
    ['ranking', 'finish'],
  );
  return { usage: reader.usage, ranks: events[0]?.type === 'ranking' && events[0].ranks };
}

const rank = (index: unknown, relevance_score: unknown): object => ({ index, relevance_score });

it('the form of Jina has the query, texts or objects, declared settings and declared options (rule I150)', () => {
  const messages = [TEXTS[0] as TurnMessage, PICTURE];
  assert.equal(written(rerankAdapter, { messages, sampling: { max_tokens_per_doc: 5, other: 1 } }), {
    model: 'rank-1',
    query: 'q',
    documents: ['a', { image: 'https://a.example/x.png' }],
    top_n: 2,
    return_documents: false,
    max_tokens_per_doc: 5,
    truncation: false,
  });
});

it('the form of Cohere has texts alone: a picture is refused before the call (rule I150)', () => {
  assert.equal(written(cohereRerankAdapter), {
    model: 'rank-1',
    query: 'q',
    documents: ['a', 'b', 'c'],
    top_n: 2,
    truncation: false,
  });
  const failure = thrownBy(() => written(cohereRerankAdapter, { messages: [...TEXTS, PICTURE] }), ProviderFailure);
  assert.equal([failure.category, failure.refusal?.param], ['unsupported_parameter', 'messages[3]']);
});

it('ranks are sorted by their score, with the tokens or the searches that were billed (rule I152)', () => {
  assert.equal(read({ results: [rank(0, 0.25), rank(2, 0.5)], usage: { total_tokens: 12, prompt_tokens: 9 } }), {
    usage: { completionTokens: 0, promptTokens: 12 },
    ranks: [
      { index: 2, score: 0.5 },
      { index: 0, score: 0.25 },
    ],
  });
  const data = [rank(1, -1), rank(0, 3), rank(2, 0)];
  assert.equal(read({ data, meta: { billed_units: { search_units: 4 } } }), {
    usage: { completionTokens: 0, searches: 4 },
    ranks: [
      { index: 0, score: 3 },
      { index: 2, score: 0 },
    ],
  });
});

for (const [name, results] of [
  ['no list', {}],
  ['a rank too few', [rank(0, 1)]],
  ['more ranks than documents', [rank(0, 1), rank(1, 1), rank(2, 1), rank(0, 1)]],
  ['a place beyond the documents', [rank(0, 1), rank(3, 1)]],
  ['a negative place', [rank(0, 1), rank(-1, 1)]],
  ['a place that is no number', [rank(0, 1), rank('1', 1)]],
  ['a place twice', [rank(0, 1), rank(0, 2)]],
  ['a score that is no number', [rank(0, 1), rank(1, null)]],
  ['a rank that is no object', [rank(0, 1), null]],
] as const) {
  it(`${name} is garbage (rule I153)`, () => {
    assert.is(thrownBy(() => read({ results }), ProviderFailure).category, 'garbage');
  });
}

test.run();
