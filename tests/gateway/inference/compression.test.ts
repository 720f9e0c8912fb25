import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HoldRequest } from '../../../actors/terms/hold.ts';
import { runTurn } from '../../../gateway/inference/run-turn.ts';
import { bounded } from '../../support/bounded.ts';
import { board, boardEndpoint } from '../../support/model/endpoints.ts';
import { stage } from '../stage.ts';
import { drain, openScene, sim } from './scene.ts';

const it = bounded(test);
const { a, b, close } = await openScene();

const small = boardEndpoint('a', a.baseUrl, { contextLength: 1_000 });
const large = boardEndpoint('b', b.baseUrl, {
  contextLength: 100_000,
  pricing: { prompt: '0.00001', completion: '0.00002' },
});

function longTalk(directive: object): { messages: { role: string; content: string }[] } {
  const { messages } = sim(directive) as { messages: { role: string; content: string }[] };
  const between = Array.from({ length: 30 }, (_, n) => ({
    role: n % 2 ? 'user' : 'assistant',
    content: `${n} ${'word '.repeat(60)}`,
  }));
  return {
    messages: [{ role: 'system', content: 'be kind' }, { role: 'user', content: 'first' }, ...between, ...messages],
  };
}

function held(on: ReturnType<typeof stage>): HoldRequest[] {
  return on.asks.flatMap(({ event }) => (event.request ? [event.request] : []));
}

/** The body of the newest call. */
function newest({ calls }: typeof a): { readonly messages: readonly object[]; readonly max_tokens: number } {
  assert.ok(calls.length > 0);
  return calls.at(-1)?.body as unknown as { messages: object[]; max_tokens: number };
}

it('each endpoint receives the part of the conversation that fits its window, and the hold is sized by it (rule I121)', async () => {
  const on = stage();
  const talk = longTalk({ only_on: 'a', status: 500, tokens: 2 });
  const body = { ...talk, transforms: ['middle-out'], max_tokens: 100 };
  const turn = await runTurn(on.services, on.request(body, board(small, large)));
  await drain(turn);
  const sentTo = (simulator: typeof a) => newest(simulator).messages.length;
  assert.ok(sentTo(a) < talk.messages.length);
  assert.is(sentTo(b), talk.messages.length);
  const { candidate } = await turn.receipt;
  assert.is(candidate.messages.length, talk.messages.length);
  const [first, second] = held(on);
  assert.ok(Number(first?.amount) <= (1_000 + 2 * 100) / 1e6, 'no more than the small window can cost');
  assert.ok(Number(second?.amount) * 1e5 >= candidate.prompt.held, 'the whole prompt at the higher price');
  await on.end();
});

it('the hold is sized by the ceiling as the endpoint receives it (rule K57)', async () => {
  const on = stage();
  const turn = await runTurn(on.services, on.request({ ...sim({ tokens: 2 }), max_tokens: 900_000 }, board(small)));
  await drain(turn);
  const { candidate } = await turn.receipt;
  assert.ok(candidate.completionTokensMax < 1_000);
  assert.is(newest(a).max_tokens, candidate.completionTokensMax);
  assert.ok(Number(held(on)[0]?.amount) <= (candidate.prompt.held + 2 * candidate.completionTokensMax) / 1e6 + 1e-12);
  await on.end();
});

it('auto enforces nothing (rule I115)', async () => {
  const on = stage();
  const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }];
  for (const tool_choice of [undefined, 'auto', 'none']) {
    const body = { ...sim({ garbage: 'prose' }), tools, ...(tool_choice ? { tool_choice } : {}) };
    const turn = await runTurn(on.services, on.request(body, board(boardEndpoint('a', a.baseUrl))));
    const events = await drain(turn);
    assert.ok(events.some(({ type }) => type === 'text-delta'));
  }
  await on.end();
});

test.after(close);
test.run();
