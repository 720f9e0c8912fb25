/** Rankings through the two functions of every turn: holds and charges by tokens and by searches, and fail-over. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { Prices } from '../../../actors/terms/tariff.ts';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../support/provider/scripted-provider.ts';
import { type Stage, stage } from '../stage.ts';
import { failed, settlementOf } from './scene.ts';
import { start, type TurnInput } from './start.ts';

const it = bounded(test);

let first: ScriptedProvider;
let second: ScriptedProvider;
test.before(async () => {
  first = await startScriptedProvider();
  second = await startScriptedProvider();
});
test.after(async () => {
  await first.close();
  await second.close();
});

function ranker(slug: string, { baseUrl }: ScriptedProvider, prices: Prices): Endpoint {
  const plain = boardEndpoint(slug, baseUrl, { id: 'a/ranks', contextLength: 100 });
  return {
    ...plain,
    target: { ...plain.target, dialect: 'rerank' },
    outputModalities: ['rerank'],
    tariff: { id: slug, completion: '0', discount: 0, ...prices },
  };
}

/** The first prices searches, the second tokens. */
const both = (): Stage =>
  stage({
    endpoints: board(ranker('one', first, { prompt: '0', search: '2' }), ranker('two', second, { prompt: '0.5' })),
  });

let generations = 0;

function input(documents: readonly string[], only = 'one'): TurnInput {
  return {
    dialect: DIALECTS.rerank,
    body: { model: 'a/ranks', query: 'q', documents, top_n: 1, provider: { order: [only, 'two'] } },
    session: null,
    generation: `gen-ranks-${++generations}`,
    bytes: 100,
    caller: { account: ACCOUNT, key: KEY, kind: 'inference' },
    attribution: { appTitle: null, appUrl: null },
    startedAt: performance.now(),
  };
}

function documentIn({ body }: TurnInput): string | undefined {
  return (body as { readonly documents: readonly string[] }).documents[1];
}

function script(
  provider: ScriptedProvider,
  more: object,
  results: unknown = [{ index: 1, relevance_score: 0.5 }],
): void {
  provider.answer = ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ results, ...more }));
  };
}

const billed = (search_units: number): object => ({ meta: { billed_units: { search_units } } });

async function answered(on: Stage, asked: TurnInput): Promise<{ usage: unknown; held: string }> {
  const running = await start(on.services, asked);
  const { events, closing } = await endTurn(on.services, running);
  await on.end();
  const { usage, results } = JSON.parse(running.request.reply.whole(running.head, events, closing)) as Record<
    string,
    unknown
  >;
  assert.equal(results, [{ index: 1, relevance_score: 0.5, document: { text: documentIn(asked) } }]);
  return { usage, held: String(on.asks[0]?.event.request?.amount) };
}

it('searches are held by what the documents may take and charged as billed, never above it (rule I151)', async () => {
  for (const [documents, reported, held, charged] of [
    [2, 1, '2', 1],
    [100, 1, '2', 1],
    [101, 2, '4', 2],
    // More than the documents can take is not believed, and without a report all that was held is charged.
    [2, 9, '2', 1],
    [101, null, '4', 2],
  ] as const) {
    script(first, reported === null ? {} : billed(reported));
    const on = both();
    const { usage, held: amount } = await answered(on, input(Array(documents).fill('word')));
    assert.is(amount, held);
    assert.equal((usage as { search_units: number; cost: number }).search_units, charged);
    assert.equal((usage as { cost: number }).cost, 2 * charged);
    assert.equal(settlementOf(on)?.media, { searches: charged });
    assert.equal(settlementOf(on)?.unpriced, []);
  }
});

it('tokens are charged where they are priced: those of the query count once for each document (rule I151)', async () => {
  script(second, { usage: { total_tokens: 6 } });
  const on = both();
  assert.equal((await answered(on, input(['word', 'other'], 'two'))).usage, { total_tokens: 6, cost: 3 });
  script(second, {});
  const counted = both();
  assert.equal((await answered(counted, input(['word', 'other'], 'two'))).usage, { total_tokens: 4, cost: 2 });
  assert.is(settlementOf(counted)?.estimated, true);
});

it('after garbage the next endpoint ranks, and it alone is charged (rule I153)', async () => {
  script(first, billed(1), [{ index: 5, relevance_score: 1 }]);
  script(second, { usage: { total_tokens: 6 } });
  const on = both();
  assert.equal((await answered(on, input(['word', 'other']))).usage, { total_tokens: 6, cost: 3 });
  assert.equal(
    settlementOf(on)?.attempts.map(({ outcome, reason }) => [outcome, reason]),
    [
      ['failed', 'garbage'],
      ['failed', 'garbage'],
      ['served', undefined],
    ],
  );
});

it('a document that fills no window with the query is refused by its place (rule I150)', async () => {
  const error = await failed(start(both().services, input(['word', 'word '.repeat(120)])));
  assert.is(error.status, 400);
  assert.match(error.message, /documents\[1\] has about 12\d tokens, at most 100/);
});

test.run();
