import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { middleOut, trimmableConversation } from '../../../gateway/routing/middle-out.ts';
import { plan } from '../../../gateway/routing/plan.ts';
import { tokensOf } from '../../../gateway/routing/prompt.ts';
import type { Turn, TurnMessage } from '../../../gateway/terms/turn.ts';
import { bounded } from '../../support/bounded.ts';
import { board } from '../../support/model/endpoints.ts';
import { promptSize, sizesOf } from '../../support/prompt-sizes.ts';
import { at, planned, refused, slugs, turnOf } from './scene.ts';

const it = bounded(test);

const words = fc.nat({ max: 60 }).map((count) => 'word '.repeat(count));

/** Questions, answers, and rounds of tool calls with their results, instructions anywhere; each text is its index. */
const conversations = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant('say' as const), role: fc.constantFrom('user', 'assistant', 'user'), text: words }),
      fc.record({ kind: fc.constant('instruct' as const), role: fc.constantFrom('system', 'developer'), text: words }),
      fc.record({ kind: fc.constant('call' as const), calls: fc.integer({ min: 1, max: 3 }), text: words }),
    ),
    { minLength: 1, maxLength: 25 },
  )
  .chain((rounds) => fc.tuple(fc.constant(rounds), fc.boolean()))
  .map(([rounds, namesRepeat]): TurnMessage[] =>
    rounds.flatMap((round, nth): TurnMessage[] => {
      if (round.kind === 'say') return [{ role: round.role as 'user', text: `${nth} ${round.text}` }];
      if (round.kind === 'instruct') return [{ role: round.role as 'system', text: `${nth} ${round.text}` }];
      const ids = Array.from({ length: round.calls }, (_, call) =>
        namesRepeat ? `call_${call}` : `call_${nth}_${call}`,
      );
      return [
        { role: 'assistant', text: null, toolCalls: ids.map((id) => ({ id, name: 'f', arguments: `{"n":${nth}}` })) },
        ...ids.map((id): TurnMessage => ({ role: 'tool', toolCallId: id, text: `${nth} ${round.text}` })),
      ];
    }),
  );

function turnFrom(messages: readonly TurnMessage[]): Turn {
  return turnOf({}, { messages, compress: true });
}

/** The part of a turn that is kept within a number of prompt tokens. */
function cut(turn: Turn, tokensMax: number) {
  return middleOut(trimmableConversation(turn.messages, sizesOf(turn)), (size) => tokensOf(size).counted <= tokensMax);
}

it('the instructions, the earliest user turn and the latest turns are kept, in their order (rule I120)', () => {
  fc.assert(
    fc.property(conversations, fc.nat({ max: 1_500 }), (messages, tokensMax) => {
      const { messages: left } = cut(turnFrom(messages), tokensMax);
      const places = left.map((message) => messages.indexOf(message));
      assert.equal(
        [...places].sort((a, b) => a - b),
        places,
      );
      assert.is(new Set(places).size, places.length);
      const stays = (message: TurnMessage | undefined) => message === undefined || left.includes(message);
      for (const message of messages)
        if (message.role === 'system' || message.role === 'developer') assert.ok(stays(message));
      assert.ok(stays(messages.find(({ role }) => role === 'user')));
      assert.ok(stays(messages.findLast(({ role }) => role === 'user')));
      assert.ok(stays(messages.at(-1)));
    }),
    { numRuns: 500 },
  );
});

it('a tool call is never separated from its results (rule I120)', () => {
  fc.assert(
    fc.property(conversations, fc.nat({ max: 1_500 }), (messages, tokensMax) => {
      const left = new Set(cut(turnFrom(messages), tokensMax).messages);
      messages.forEach((message, place) => {
        if (message.role !== 'assistant' || !message.toolCalls) return;
        for (let at = 1; at <= message.toolCalls.length; at++) {
          assert.is(left.has(messages[place + at] as TurnMessage), left.has(message));
        }
      });
    }),
    { numRuns: 500 },
  );
});

it('the dropped messages are one run in the middle, and the shortest one that makes the rest fit (rule I120)', () => {
  fc.assert(
    fc.property(conversations, fc.nat({ max: 1_500 }), (messages, tokensMax) => {
      const turn = turnFrom(messages);
      const conversation = trimmableConversation(turn.messages, sizesOf(turn));
      const { messages: left, size } = cut(turn, tokensMax);
      assert.equal(size, promptSize({ ...turn, messages: left }), 'the size is that of the sent messages');
      const droppable = conversation.pieces.filter(({ isKept }) => !isKept);
      const isLeft = droppable.map(({ indexes }) => left.includes(messages[indexes[0] as number] as TurnMessage));
      const dropped = isLeft.lastIndexOf(false) + 1;
      assert.ok(
        isLeft.slice(0, dropped).every((stays) => !stays),
        'oldest first',
      );
      if (dropped === 0) return;
      const next = droppable[dropped - 1]?.indexes.map((index) => messages[index]) as TurnMessage[];
      const more = messages.filter((message) => left.includes(message) || next.includes(message));
      assert.ok(tokensOf(promptSize({ ...turn, messages: more })).counted > tokensMax, 'one more piece does not fit');
    }),
    { numRuns: 500 },
  );
});

it('prompt and ceiling of a compressed turn fit the window of every candidate, and other endpoints are rejected (rule I121)', () => {
  fc.assert(
    fc.property(
      conversations,
      fc.integer({ min: 20, max: 3_000 }),
      fc.option(fc.integer({ min: 1, max: 1_500 }), { nil: undefined }),
      (messages, contextLength, requestedMax) => {
        const turn = {
          ...turnFrom(messages),
          ...(requestedMax === undefined ? {} : { completionTokensMax: requestedMax }),
        };
        const endpoints = board(at('a', { contextLength, maxCompletionTokens: 1_000 }));
        let candidate: ReturnType<typeof plan>['candidates'][number] | undefined;
        try {
          [candidate] = plan(turn, endpoints, 0.5).candidates;
        } catch (error) {
          assert.is((error as { type: string }).type, 'context_length_exceeded');
          return;
        }
        const { completionTokensMax, prompt } = candidate as NonNullable<typeof candidate>;
        assert.ok(prompt.counted + completionTokensMax <= contextLength);
        if (requestedMax !== undefined)
          assert.is(completionTokensMax, Math.min(requestedMax, 1_000), 'the full ceiling');
      },
    ),
    { numRuns: 500 },
  );
});

const LONG = [
  { role: 'system', content: 'be kind' },
  { role: 'user', content: 'the first ask' },
  ...Array.from({ length: 40 }, (_, n) => ({
    role: n % 2 ? 'user' : 'assistant',
    content: `${n} ${'word '.repeat(100)}`,
  })),
];
const small = at('small', { contextLength: 2_000, maxCompletionTokens: 2_000 });
const large = at('large', { contextLength: 100_000 });

it('a turn is compressed only if it asks for it, and only for windows that need it (rule I121)', () => {
  const body = { messages: LONG, max_tokens: 200 };
  assert.equal(slugs(body, [small, large]), ['large']);
  for (const ask of [{ transforms: ['middle-out'] }, { plugins: [{ id: 'context-compression' }] }]) {
    const { candidates } = planned({ ...body, ...ask, provider: { order: ['small', 'large'] } }, [small, large]);
    const [first, second] = candidates;
    assert.equal(
      candidates.map(({ endpoint }) => endpoint.provider.slug),
      ['small', 'large'],
    );
    assert.ok((first?.messages.length ?? 0) < LONG.length);
    assert.is(second?.messages.length, LONG.length);
    assert.ok((first?.prompt.held ?? 0) < (second?.prompt.held ?? 0), 'the hold is sized by the sent messages');
    assert.is(first?.completionTokensMax, 200);
  }
  assert.equal(slugs({ ...body, transforms: [] }, [small, large]), ['large']);
});

it('an endpoint is rejected if its window cannot hold the mandatory messages and the full ceiling (rule I121)', () => {
  const ask = { messages: LONG, transforms: ['middle-out'] };
  assert.equal(slugs({ ...ask, max_tokens: 1_000 }, [small]), ['small']);
  const error = refused({ ...ask, max_tokens: 1_900 }, [small]);
  assert.is(error.type, 'context_length_exceeded');
  const capped = at('capped', { contextLength: 2_000, maxCompletionTokens: 500 });
  assert.equal(
    slugs({ ...ask, max_tokens: 1_900 }, [capped]),
    ['capped'],
    'its own ceiling is the full one it is sent',
  );
});

it('without a ceiling a part of the window is left to the answer (rule I121)', () => {
  const [candidate] = planned({ messages: LONG, transforms: ['middle-out'] }, [small]).candidates;
  assert.ok((candidate?.completionTokensMax ?? 0) >= 500, String(candidate?.completionTokensMax));
});

test.run();
