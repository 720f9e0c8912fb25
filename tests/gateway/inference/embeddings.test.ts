/** Embeddings through the two functions of every turn: checks of the answer, fail-over, holds and charges. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { DIALECTS } from '../../../gateway/dialects/dialect-table.ts';
import { endTurn } from '../../../gateway/inference/end-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { ACCOUNT, KEY } from '../../support/model/words.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../support/provider/scripted-provider.ts';
import { type Stage, stage } from '../stage.ts';
import { eventsOf, failed, releaseOf, settlementOf } from './scene.ts';
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

const WINDOW = 10;

function embedder(slug: string, { baseUrl }: ScriptedProvider, prompt: string): Endpoint {
  const plain = boardEndpoint(slug, baseUrl, {
    id: 'a/vectors',
    contextLength: WINDOW,
    supportedParameters: ['dimensions'],
  });
  const target = { ...plain.target, dialect: 'embeddings' } as const;
  return {
    ...plain,
    target,
    outputModalities: ['embeddings'],
    tariff: { id: slug, prompt, completion: '0', discount: 0 },
  };
}

const both = (): Stage => stage({ endpoints: board(embedder('one', first, '1'), embedder('two', second, '3')) });

let generations = 0;

function input(members: object): TurnInput {
  return {
    dialect: DIALECTS.embeddings,
    body: { model: 'a/vectors', input: ['alpha', 'beta'], provider: { order: ['one', 'two'] }, ...members },
    session: null,
    generation: `gen-vectors-${++generations}`,
    bytes: 100,
    caller: { account: ACCOUNT, key: KEY, kind: 'inference' },
    attribution: { appTitle: null, appUrl: null },
    startedAt: performance.now(),
  };
}

/** Answers every call with this JSON text; returns how many there were. */
function script(provider: ScriptedProvider, answer: string): () => number {
  let calls = 0;
  provider.answer = ({ response }) => {
    calls++;
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  };
  return () => calls;
}

const answerOf = (vectors: readonly unknown[], usage: object | null = { prompt_tokens: 7, total_tokens: 7 }): string =>
  JSON.stringify({ data: vectors.map((embedding, index) => ({ index, embedding })), ...(usage && { usage }) });
const GOOD = answerOf([
  [0.5, 1],
  [2, -1],
]);

async function answered(on: Stage, members: object = {}): Promise<Record<string, unknown>> {
  const running = await start(on.services, input(members));
  const { events, closing } = await endTurn(on.services, running);
  await on.end();
  return JSON.parse(running.request.reply.whole(running.head, events, closing)) as Record<string, unknown>;
}

it('is held, answered and charged once: the tokens of the prompt by their price, none of an answer', async () => {
  const calls = [script(first, GOOD), script(second, GOOD)];
  const on = both();
  const { data, usage } = await answered(on);
  assert.equal(data, [
    { object: 'embedding', index: 0, embedding: [0.5, 1] },
    { object: 'embedding', index: 1, embedding: [2, -1] },
  ]);
  assert.equal(usage, { prompt_tokens: 7, total_tokens: 7, cost: 7 });
  assert.equal(eventsOf(on), ['turn.admit', 'hold.settle']);
  const { cost, promptTokens, completionTokens, estimated, finishReason } = settlementOf(on) ?? {};
  assert.equal([cost, promptTokens, completionTokens, estimated, finishReason], ['7', 7, 0, false, 'stop']);
  assert.ok(compare('7', String(on.asks[0]?.event.request?.amount)) <= 0, 'the hold covers the charge');
  assert.equal(
    calls.map((count) => count()),
    [1, 0],
  );
});

for (const [name, broken, members] of [
  ['a vector too few', answerOf([[1, 2]])],
  ['a vector too many', answerOf([[1], [2], [3]])],
  ['two widths', answerOf([[1, 2], [3]])],
  ['another width than requested', answerOf([[1], [2]]), { dimensions: 2 }],
  ['a number that is none', '{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}'],
  ['a null', answerOf([[null], [1]])],
  ['a number beyond doubles', '{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}'],
] as const) {
  it(`${name}: tried once more, then the next endpoint, which alone is charged`, async () => {
    const calls = [script(first, broken), script(second, GOOD)];
    const on = both();
    const { usage } = await answered(on, members);
    assert.equal(usage, { prompt_tokens: 7, total_tokens: 7, cost: 21 });
    assert.equal(
      calls.map((count) => count()),
      [2, 1],
    );
    const { attempts, cost } = settlementOf(on) ?? {};
    assert.is(cost, '21');
    assert.equal(
      attempts?.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['failed', 'garbage'],
        ['failed', 'garbage'],
        ['served', undefined],
      ],
    );
    assert.is(eventsOf(on).filter((event) => event === 'hold.settle').length, 1);
  });
}

it('where every answer is broken the hold is released and nothing is charged', async () => {
  script(first, answerOf([[1]]));
  script(second, '{}');
  const on = both();
  const error = await failed(start(on.services, input({})));
  assert.is(error.status, 502);
  await on.end();
  assert.is(releaseOf(on)?.status, 502);
  assert.is(settlementOf(on), undefined);
});

it('unreported tokens are our own count; a count of more windows than inputs is noise', async () => {
  for (const usage of [null, {}, { prompt_tokens: 2 * WINDOW + 1 }]) {
    script(first, answerOf([[1], [2]], usage));
    const on = both();
    assert.equal((await answered(on)).usage, { prompt_tokens: 2, total_tokens: 2, cost: 2 });
    assert.is(settlementOf(on)?.estimated, true);
  }
  script(first, answerOf([[1], [2]], { prompt_tokens: 2 * WINDOW }));
  const on = both();
  await answered(on);
  assert.is(settlementOf(on)?.cost, String(2 * WINDOW));
});

test.run();
