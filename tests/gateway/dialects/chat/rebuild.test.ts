import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ChatFrames } from '../../../../gateway/dialects/chat/frames.ts';
import { render } from '../../../../gateway/dialects/chat/render.ts';
import { chatReply } from '../../../../gateway/dialects/chat/reply-schema.ts';
import type { ReasoningDetail } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'P' };
const CLOSING = { usage: { promptTokens: 1, completionTokens: 2 }, cost: '0.5', honoured: { seed: true } };
const RUNS = 2_000;
/** The schema that the OpenAPI document publishes for a reply. */
const published = Compile(chatReply);

interface Call {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

/** A message assembled from fragments by the rules of the stream alone. */
interface Rebuilt {
  role?: string;
  content: string;
  reasoning: string;
  refusal: string;
  details: Record<string, unknown>[];
  calls: Call[];
  images: unknown[];
  audio: Record<string, unknown> | null;
  logprobs: { content: unknown[] | null; refusal: unknown[] | null } | null;
  finish: unknown[];
}

interface Delta {
  readonly role?: string;
  readonly content?: string | null;
  readonly reasoning?: string;
  readonly refusal?: string;
  readonly reasoning_details?: readonly Record<string, unknown>[];
  readonly tool_calls?: readonly { index: number; id?: string; type?: string; function: Partial<Call['function']> }[];
  readonly images?: readonly unknown[];
  readonly audio?: Readonly<Record<string, unknown>>;
}

function rebuild(text: string): { message: object; choice: object; usage: unknown } {
  const built: Rebuilt = {
    ...{ content: '', reasoning: '', refusal: '', details: [], calls: [], images: [], audio: null, logprobs: null },
    finish: [null, null],
  };
  let usage: unknown;
  createParser({
    onEvent: ({ data, event }) => {
      if (data === '[DONE]' || event !== undefined) return;
      const chunk = JSON.parse(data);
      if (chunk.usage) usage = chunk.usage;
      for (const choice of chunk.choices) {
        add(built, choice.delta as Delta);
        if (choice.logprobs) addScores(built, choice.logprobs);
        if (choice.finish_reason !== null) built.finish = [choice.finish_reason, choice.native_finish_reason];
      }
    },
  }).feed(text);
  return { message: messageOf(built), choice: { logprobs: built.logprobs, finish: built.finish }, usage };
}

function add(built: Rebuilt, delta: Delta): void {
  if (delta.role !== undefined) built.role = delta.role;
  built.content += delta.content ?? '';
  built.reasoning += delta.reasoning ?? '';
  built.refusal += delta.refusal ?? '';
  for (const detail of delta.reasoning_details ?? []) addDetail(built.details, detail);
  for (const { index, id, type, function: called } of delta.tool_calls ?? []) {
    if (id !== undefined && type !== undefined) {
      built.calls[index] = { id, type, function: { name: called.name as string, arguments: '' } };
    }
    (built.calls[index] as Call).function.arguments += called.arguments ?? '';
  }
  built.images.push(...(delta.images ?? []));
  for (const [member, value] of Object.entries(delta.audio ?? {})) {
    built.audio ??= {};
    const joins = member === 'data' || member === 'transcript';
    built.audio[member] = joins ? `${built.audio[member] ?? ''}${value}` : value;
  }
}

function addDetail(details: Record<string, unknown>[], detail: Record<string, unknown>): void {
  const known = details.find(
    ({ index, type }) => index !== undefined && index === detail.index && type === detail.type,
  );
  if (!known) {
    details.push({ ...detail });
    return;
  }
  for (const [member, value] of Object.entries(detail)) {
    if (member === 'type' || member === 'index' || value === null) continue;
    const joins = member === 'text' || member === 'summary' || member === 'data';
    known[member] = joins ? `${known[member] ?? ''}${value}` : value;
  }
}

function addScores(built: Rebuilt, more: { content: unknown[] | null; refusal: unknown[] | null }): void {
  const before = built.logprobs ?? { content: null, refusal: null };
  const joined = (a: unknown[] | null, b: unknown[] | null): unknown[] | null => (b ? (a ?? []).concat(b) : a);
  built.logprobs = { content: joined(before.content, more.content), refusal: joined(before.refusal, more.refusal) };
}

/** Text may be absent only beside a call or a refusal. */
function messageOf(built: Rebuilt): object {
  const instead = built.calls.length > 0 || built.refusal !== '';
  return {
    role: built.role,
    content: built.content === '' && instead ? null : built.content,
    refusal: built.refusal === '' ? null : built.refusal,
    ...(built.reasoning === '' ? {} : { reasoning: built.reasoning }),
    ...(built.details.length === 0 ? {} : { reasoning_details: built.details }),
    ...(built.calls.length === 0 ? {} : { tool_calls: built.calls }),
    ...(built.images.length === 0 ? {} : { images: built.images }),
    ...(built.audio === null ? {} : { audio: built.audio }),
  };
}

const words = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const base64 = fc.stringMatching(/^[A-Za-z0-9+/]{1,8}$/);
const detail: fc.Arbitrary<ReasoningDetail> = fc.oneof(
  fc.record({ type: fc.constant('reasoning.text' as const), index: fc.nat(2), text: words }),
  fc.record({ type: fc.constant('reasoning.text' as const), text: words, signature: words }),
  fc.record({ type: fc.constant('reasoning.summary' as const), index: fc.nat(2), summary: words }),
  fc.record({ type: fc.constant('reasoning.encrypted' as const), data: base64, format: words }),
);
const scores = fc.array(fc.record({ token: words, logprob: fc.integer({ min: -9, max: 0 }) }), { maxLength: 2 });
const part: fc.Arbitrary<TurnEvent> = fc.oneof(
  { weight: 4, arbitrary: words.map((text): TurnEvent => ({ type: 'text-delta', text })) },
  { weight: 2, arbitrary: words.map((text): TurnEvent => ({ type: 'reasoning-delta', text })) },
  { weight: 2, arbitrary: detail.map((each): TurnEvent => ({ type: 'reasoning-detail', detail: each })) },
  { weight: 1, arbitrary: words.map((text): TurnEvent => ({ type: 'refusal-delta', text })) },
  {
    weight: 1,
    arbitrary: fc.nat(3).map((index): TurnEvent => ({ type: 'image', url: 'data:image/png;base64,AA', index })),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('audio-delta' as const), data: base64, transcript: words }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('audio-delta' as const), id: words, expiresAt: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('logprobs' as const), content: scores }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('logprobs' as const), refusal: scores }) },
);

/** Calls start in order; their fragments may alternate. */
const calls = fc
  .array(fc.record({ name: words, pieces: fc.array(words, { maxLength: 4 }) }), { maxLength: 3 })
  .map((each) =>
    each.flatMap(({ name, pieces }, index): TurnEvent[] => [
      { type: 'tool-start', index, id: `call_${index}`, name },
      ...pieces.map((piece): TurnEvent => ({ type: 'tool-delta', index, arguments: piece })),
    ]),
  );
const finish = fc.constantFrom<TurnEvent>(
  { type: 'finish', reason: 'stop', native: 'eos"' },
  { type: 'finish', reason: 'length', native: null },
);
const turns = fc.tuple(fc.array(part, { maxLength: 12 }), calls, finish, fc.array(fc.nat(6), { maxLength: 20 }));

function batches(events: readonly TurnEvent[], sizes: readonly number[]): (readonly TurnEvent[])[] {
  const cut: (readonly TurnEvent[])[] = [];
  let at = 0;
  for (const size of sizes) {
    cut.push(events.slice(at, at + size));
    at += size;
  }
  return [...cut, events.slice(at)];
}

for (const dispatch of [false, true]) {
  it(`streamed fragments add up to the whole reply${dispatch ? ', with calls announced' : ''} (rule I50)`, () => {
    fc.assert(
      fc.property(turns, ([parts, called, end, sizes]) => {
        const events = [...parts, ...called, end];
        const frames = new ChatFrames(HEAD, { hidden: false, dispatch });
        let text = '';
        for (const batch of batches(events, sizes)) text += frames.of(batch);
        text += frames.end(CLOSING);
        const whole = JSON.parse(render(HEAD, events, CLOSING, false));
        const valid: boolean = published.Check(whole);
        assert.ok(valid, JSON.stringify([...published.Errors(whole)][0] ?? null));
        const [choice] = whole.choices;
        const rebuilt = rebuild(text);
        assert.equal(rebuilt.message, choice.message);
        assert.equal(rebuilt.choice, {
          logprobs: choice.logprobs,
          finish: [choice.finish_reason, choice.native_finish_reason],
        });
        assert.equal(rebuilt.usage, whole.usage);
      }),
      { numRuns: RUNS },
    );
  });
}

test.run();
