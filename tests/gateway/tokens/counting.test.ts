import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../../actors/runtime/index.ts';
import type { Turn } from '../../../gateway/terms/turn.ts';
import { measurePrompt, type PromptSizes } from '../../../gateway/tokens/measure-prompt.ts';
import { PIECE_CHARACTERS, pieces } from '../../../gateway/tokens/pieces.ts';
import { countNow, TextCounter } from '../../../gateway/tokens/text-counter.ts';
import { DENSEST, loadedVocabulary, type Vocabulary, vocabularyOf } from '../../../gateway/tokens/vocabulary.ts';
import { longSources, longText } from '../../fixtures/tokens/long-prompts.ts';
import { samples } from '../../fixtures/tokens/samples.ts';
import { bounded } from '../../support/bounded.ts';
import { bytesHeld } from '../../support/bytes-held.ts';
import { promptSize, sizesOf } from '../../support/prompt-sizes.ts';
import { Dice } from '../pricing/random-charge.ts';

const it = bounded(test, 120_000);
const vocabulary = loadedVocabulary(DENSEST) as Vocabulary;
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
const RUN = /\S{241}|\s{241}/u;

it('pieces are short, without long runs, and together the whole text; no pair of surrogates is cut', () => {
  const hostile = ['a', ' ', '!', '\n', '的', '😀', '!…', ' \u00a0', 'ab '].map((unit) => unit.repeat(5_000));
  const texts = [...hostile, ...samples().map(({ messages }) => messages.map(({ text }) => text ?? '').join(' '))];
  for (const text of texts) {
    let sum = '';
    for (const piece of pieces(text)) {
      sum += piece;
      assert.ok(piece.length <= PIECE_CHARACTERS);
      assert.not.ok(RUN.test(piece));
      if (text.isWellFormed()) assert.ok(piece.isWellFormed());
    }
    assert.is(sum, text);
  }
});

it('the count of a text in pieces is that of the tokenizer, a little more where runs are cut', () => {
  const dice = new Dice(5);
  for (const source of longSources()) {
    const text = longText(source, 20_000, dice);
    const exact = countTokens(text, AS_TEXT);
    const counted = countNow(text, vocabulary);
    assert.ok(counted >= exact * 0.999 && counted <= exact * 1.005, `${source.kind}: ${counted} for ${exact}`);
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      assert.is(countNow(text, vocabulary), countTokens(text, AS_TEXT));
    }),
  );
  assert.ok(countNow('<|endoftext|>', vocabulary) > 1, 'the marks of a template in a text are text');
});

it('an endpoint is counted by the vocabulary that it declares, else by the densest of the common ones (rule I118)', () => {
  for (const [tokenizer, name] of [
    ['o200k_base', 'o200k_base'],
    ['O200K_Harmony', 'o200k_base'],
    ['cl100k_base', 'cl100k_base'],
    ['gpt2', 'r50k_base'],
    ['GPT', DENSEST],
    ['Llama3', DENSEST],
    [null, DENSEST],
  ] as const) {
    assert.is(vocabularyOf(tokenizer), name);
  }
  let denser = 0;
  const all = samples().filter(({ messages }) => (messages[0]?.text?.length ?? 0) > 200);
  for (const { messages } of all) {
    const turn = { ...TURN, messages };
    if (promptSize(turn).textTokens * 1.02 >= promptSize(turn, 'o200k_base').textTokens) denser++;
  }
  assert.ok(denser / all.length > 0.98, `${denser} of ${all.length}`);
});

const TURN: Turn = {
  kind: 'conversation',
  models: ['a/b'],
  messages: [],
  stream: false,
  sampling: {},
  preferences: { allowFallbacks: true },
};
const NEEDS = { vocabularies: new Set([DENSEST]), windowMax: 1_000_000 };

/** A clock whose event loop turns only when the test says so. */
function steppedClock(): { readonly clock: Clock; readonly turn: () => boolean } {
  const due: (() => void)[] = [];
  const clock = { monotonic: () => 0, after: (_ms: number, run: () => void) => due.push(run) } as unknown as Clock;
  return {
    clock,
    turn: () => {
      const next = due.shift();
      next?.();
      return next !== undefined;
    },
  };
}

/**
 * Runs work that waits for shares of the loop; resolves with its result and the turns that it took. `between` is called
 * before each turn.
 */
async function stepped<T>(work: (clock: Clock) => Promise<T>, between?: () => void): Promise<readonly [T, number]> {
  const { clock, turn } = steppedClock();
  let done = false;
  const result = work(clock).finally(() => {
    done = true;
  });
  let turns = 0;
  while (!done) {
    between?.();
    if (turn()) turns++;
    for (let settled = 0; settled < 20; settled++) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [await result, turns];
}

/** The vocabulary, which shows each piece that it counts. */
function watched(seen: (piece: string) => void): Vocabulary {
  return {
    name: DENSEST,
    count: (piece) => {
      seen(piece);
      return vocabulary.count(piece);
    },
  };
}

it('a long prompt is counted in shares: one turn of the event loop counts 4 KiB at most, and the sizes are the same', async () => {
  const messages = [1, 2, 3].map((nth) => ({ role: 'user' as const, text: 'The river is wide. '.repeat(nth * 1_000) }));
  const turn = { ...TURN, messages };
  const bytes = messages.reduce((sum, { text }) => sum + text.length, 0);
  const [sizes, turns] = await stepped(async (clock) => (await measurePrompt(turn, NEEDS, clock)) as PromptSizes);
  assert.ok(turns >= bytes / 4_096, `${turns} turns for ${bytes} bytes`);
  assert.equal(sizes.get(DENSEST), sizesOf(turn));
  const short = measurePrompt({ ...TURN, messages: [{ role: 'user', text: 'hello' }] }, NEEDS, steppedClock().clock);
  assert.not.ok(short instanceof Promise, 'a short prompt waits for nothing');
});

it('thousands of short messages are counted in shares too', async () => {
  const messages = Array.from({ length: 5_000 }, () => ({ role: 'user' as const, text: 'a' }));
  const [sizes, turns] = await stepped(
    async (clock) => (await measurePrompt({ ...TURN, messages }, NEEDS, clock)) as PromptSizes,
  );
  assert.ok(turns >= 75, `${turns} turns`);
  assert.is(sizes.get(DENSEST)?.messages.length, 5_000);
});

it('the messages of a prompt are looked over in shares: 256 in one turn of the event loop', async () => {
  let seen = 0;
  const message = {
    role: 'user' as const,
    get text(): string {
      seen++;
      return 'a';
    },
  };
  let most = 0;
  let before = 0;
  const [sizes] = await stepped(
    async (clock) =>
      (await measurePrompt({ ...TURN, messages: new Array(3_000).fill(message) }, NEEDS, clock)) as PromptSizes,
    () => {
      most = Math.max(most, seen - before);
      before = seen;
    },
  );
  assert.is(sizes.get(DENSEST)?.messages.length, 3_000);
  assert.ok(most <= 256, `${most} messages in one turn`);
});

it('two long prompts share one turn of the event loop', async () => {
  const { clock, turn } = steppedClock();
  let counted = 0;
  const counting = watched((text) => {
    counted += text.length;
  });
  const work = [1, 2, 3, 4, 5, 6].map(() => new TextCounter(counting, clock, 1e9).count('word '.repeat(60_000)));
  let most = 0;
  for (let idle = 0; idle < 20; idle++) {
    const before = counted;
    if (turn()) idle = 0;
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, counted - before);
  }
  await Promise.all(work);
  assert.ok(most <= 2 * PIECE_CHARACTERS, `${most} characters in one turn`);
});

it('counting ends at the longest window: the rest is estimated at the rate of what was counted', async () => {
  let pieceCount = 0;
  const counting = watched(() => {
    pieceCount++;
  });
  const text = 'The river is long. '.repeat(100_000);
  const [tokens] = await stepped((clock) => new TextCounter(counting, clock, 10_000).count(text));
  const exact = 500_000;
  assert.ok(Math.abs(tokens / exact - 1) < 0.02, `${tokens} tokens`);
  assert.ok(pieceCount < 30, `${pieceCount} pieces`);
});

it('where the window is full, the latest messages and the instructions are the ones that were counted', async () => {
  const old = { role: 'user' as const, text: 'old '.repeat(20_000) };
  const first = { role: 'user' as const, text: 'first '.repeat(100) };
  const messages = [
    { role: 'system' as const, text: 'be kind' },
    first,
    old,
    { role: 'user' as const, text: 'x 7 '.repeat(3_000) },
  ];
  const turn = { ...TURN, messages };
  const [sizes] = await stepped(
    async (clock) => (await measurePrompt(turn, { ...NEEDS, windowMax: 2_000 }, clock)) as PromptSizes,
  );
  const exact = sizesOf(turn).messages;
  const measured = sizes.get(DENSEST)?.messages;
  for (const at of [0, 1]) assert.is(measured?.[at]?.textTokens, exact[at]?.textTokens);
  assert.ok((measured?.[3]?.textTokens ?? 0) > 2_000);
});

it('a remembered word does not keep its prompt in memory', () => {
  /** Ends with a word of its own. */
  const long = (nth: number): string => `${'х '.repeat(200_000)}${'щ'.repeat(20)}${'ыэ'.repeat(nth)}`;
  const before = bytesHeld();
  for (let nth = 0; nth < 100; nth++) {
    for (const piece of pieces(long(nth).slice(-1_000))) vocabulary.count(piece);
  }
  const grown = bytesHeld() - before;
  assert.ok(grown < 16 * 1024 * 1024, `${grown} bytes of 80 million`);
});

it('a text that was counted before is not counted again', async () => {
  let pieceCount = 0;
  const counting = watched(() => {
    pieceCount++;
  });
  const said = ['the first message', 'the second'].map((text) => `${text} `.repeat(500));
  const counted = async (texts: readonly string[]): Promise<readonly number[]> => {
    const [tokens] = await stepped(async (clock) => {
      const counter = new TextCounter(counting, clock, 1e6);
      const all: number[] = [];
      for (const text of texts) all.push(await counter.count(text));
      return all;
    });
    return tokens;
  };
  const first = await counted(said);
  const before = pieceCount;
  assert.equal(await counted([...said, 'a third one']), [...first, 3]);
  assert.is(pieceCount, before + 1);
});

it('short texts that were counted before are not counted again, and are looked up in shares', async () => {
  let pieceCount = 0;
  const counting = watched(() => {
    pieceCount++;
  });
  const text = 'a question of several words';
  const tokens = countNow(text, counting);
  assert.is(tokens, countTokens(text, AS_TEXT));
  assert.is(countNow(text, counting), tokens);
  assert.is(pieceCount, 1);
  const [sum, turns] = await stepped(async (clock) => {
    const counter = new TextCounter(counting, clock, 1e6);
    let all = 0;
    for (let nth = 0; nth < 2_000; nth++) all += await counter.count(text);
    return all;
  });
  assert.is(sum, 2_000 * tokens);
  assert.is(pieceCount, 1);
  assert.ok(turns >= (2_000 * text.length) / 4_096, `${turns} turns`);
});

it('a hostile text of a megabyte is counted in as many short steps as an honest one', async () => {
  for (const unit of ['a', ' ', '!', '\n', '的', '!…']) {
    let longest = 0;
    const counting = watched((piece) => {
      longest = Math.max(longest, ...(piece.match(/\S+|\s+/gu) ?? []).map(({ length }) => length));
    });
    const text = unit.repeat(1_000_000 / unit.length);
    const [tokens] = await stepped((clock) => new TextCounter(counting, clock, 50_000).count(text));
    assert.ok(longest <= 240, `${JSON.stringify(unit)}: a run of ${longest}`);
    assert.ok(tokens > 4_000);
  }
});

test.run();
