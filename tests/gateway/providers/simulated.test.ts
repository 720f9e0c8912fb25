import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/runtime/index.ts';
import { Pools } from '../../../gateway/outbound/pools.ts';
import { open } from '../../../gateway/providers/call/open.ts';
import { targetOf } from '../../../gateway/providers/call/target.ts';
import { ProviderFailure } from '../../../gateway/providers/provider-failure.ts';
import { GARBAGE } from '../../../gateway/simulator/answer/garbage.ts';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import type { ReasoningDetail, Turn, TurnMessage } from '../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../gateway/terms/turn-event.ts';
import type { Usage } from '../../../gateway/terms/usage.ts';
import { bounded } from '../../support/bounded.ts';
import { endpointOf } from '../../support/model/endpoints.ts';
import { eventsOf, UNSHARED } from './played.ts';
import { turnOf } from './scene.ts';
import { type Dialect, LIMITS, LINE_BYTES_MAX } from './upstream.ts';

/** The adapters against the simulated provider, an independent implementation of the dialects. */
const it = bounded(test);
const DIALECTS: readonly Dialect[] = ['chat', 'messages', 'responses', 'bedrock', 'ollama', 'cohere', 'gemini'];
/** Wires that count neither writes to a cache nor reasoning, and have no entries of reasoning. */
const PLAIN: ReadonlySet<Dialect> = new Set(['ollama', 'cohere']);
/** Shorter than the pause of a trickle, longer than any answer. */
const IDLE_MS = 700;

let simulator: Simulator;
let outbound: Pools;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim', keep: true });
  outbound = new Pools({
    clock: systemClock,
    lease: { connected: true },
    connectionsPerOriginMax: 32,
    connectMs: LIMITS.connectMs,
  });
});
test.after(async () => {
  await outbound.close();
  await simulator.close();
});

interface AnswerOptions extends Partial<Turn> {
  readonly dialect: Dialect;
  readonly model: string;
}

async function answered({ dialect, model, ...requested }: AnswerOptions): Promise<TurnEvent[]> {
  const supportedParameters = ['tools', 'tool_choice', 'reasoning_effort'];
  const endpoint = endpointOf({
    target: { dialect, baseUrl: simulator.baseUrl, upstreamId: model },
    supportedParameters,
    outputModalities: ['text', 'image', 'audio'],
  });
  return eventsOf(
    await open(outbound, {
      target: targetOf(endpoint, null),
      turn: turnOf(requested),
      ceiling: 1_000,
      generation: 'gen-1',
      limits: { ...LIMITS, idleMs: IDLE_MS, totalMs: 1_500 },
      lineBytesMax: LINE_BYTES_MAX,
      sharing: UNSHARED,
      begun: () => {},
    }),
  );
}

const saying = (directive: object): Turn['messages'] => [{ role: 'user', text: `@sim ${JSON.stringify(directive)}` }];
const usageOf = (events: readonly TurnEvent[]): Usage =>
  events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))[0] ?? {};
const textOf = (events: readonly TurnEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

const ZEROS: Usage = { cacheWrite1hTokens: 0, reasoningTokens: 0 };

it('one answer is the same in both dialects, streamed and whole', async () => {
  const messages = saying({ text: 'Grüße, 世界 🚀 and more', cached_share: 0.5, written_share: 0.25 });
  const seen: { dialect: Dialect; text: string; usage: Usage }[] = [];
  for (const dialect of [...DIALECTS, 'completions'] as const) {
    for (const stream of [true, false]) {
      const events = await answered({ kind: 'continuation', dialect, model: 'sim/fast', stream, messages });
      seen.push({ dialect, text: textOf(events), usage: usageOf(events) });
      assert.equal(
        events.filter(({ type }) => type === 'finish').map((event) => 'reason' in event && event.reason),
        ['stop'],
      );
    }
  }
  for (const { dialect, text, usage } of seen) {
    assert.is(text, 'Grüße, 世界 🚀 and more');
    if (PLAIN.has(dialect)) {
      const { promptTokens, completionTokens, cachedTokens } = seen[0]?.usage ?? {};
      const cached = dialect === 'cohere' ? { cachedTokens } : {};
      assert.equal(usage, { promptTokens, completionTokens, ...cached });
      continue;
    }
    // Some dialects report 0 for each kind of cache write, or for reasoning; Gemini's has no writes.
    const written = usage.cacheWriteTokens === undefined ? { cacheWriteTokens: seen[0]?.usage.cacheWriteTokens } : {};
    assert.equal({ ...ZEROS, ...usage, ...written }, { ...ZEROS, ...seen[0]?.usage });
  }
  const { promptTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = seen[0]?.usage ?? {};
  assert.ok(cachedTokens > 0 && cacheWriteTokens > 0 && cachedTokens + cacheWriteTokens < promptTokens);
});

it('a required tool is called in both dialects, and its result can be sent back', async () => {
  const tools = [{ name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }];
  for (const dialect of DIALECTS) {
    for (const stream of [true, false]) {
      const requested = { dialect, model: 'sim/tools', stream, tools, toolChoice: 'required' } as const;
      const events = await answered(requested);
      const start = events.find((event) => event.type === 'tool-start');
      assert.ok(start?.type === 'tool-start' && start.name === 'weather');
      const given = events.map((event) => (event.type === 'tool-delta' ? event.arguments : '')).join('');
      assert.type(JSON.parse(given), 'object');
      const { toolChoice: _choice, ...free } = requested;
      const after = await answered({
        ...free,
        messages: [
          { role: 'user', text: 'Hi' },
          { role: 'assistant', text: null, toolCalls: [{ id: start.id, name: 'weather', arguments: given }] },
          { role: 'tool', text: 'sunny', toolCallId: start.id },
        ],
      });
      assert.is(after.filter(({ type }) => type === 'tool-start').length, 0, `${dialect}: it answers, not calls again`);
      assert.ok(textOf(after).length > 0);
    }
  }
});

it('structured reasoning is delivered in both dialects and can be sent back', async () => {
  for (const dialect of DIALECTS) {
    for (const stream of [true, false]) {
      const requested = { dialect, model: 'sim/thinker', stream, reasoning: { effort: 'high' } } as const;
      const events = await answered(requested);
      const details = events.flatMap((event) => (event.type === 'reasoning-detail' ? [event.detail] : []));
      const reasoning = events.map((event) => (event.type === 'reasoning-delta' ? event.text : '')).join('');
      assert.ok(
        PLAIN.has(dialect) ? reasoning : details.some(({ text, summary }) => text ?? summary),
        `${dialect} ${stream}`,
      );
      assert.ok((usageOf(events).reasoningTokens ?? 0) > 0 || dialect !== 'chat');
      const thought = PLAIN.has(dialect) ? { reasoning } : { reasoningDetails: details };
      const assistant = { role: 'assistant', text: 'So.', ...thought } as const;
      const messages = [{ role: 'user', text: 'Hi' }, assistant, { role: 'user', text: 'And?' }] as const;
      assert.ok(textOf(await answered({ ...requested, messages })).length > 0);
    }
  }
});

it('pictures and speech are delivered, streamed and whole', async () => {
  for (const stream of [true, false]) {
    for (const dialect of ['chat', 'gemini'] as const) {
      const modalities = { input: [], output: ['image'] } as const;
      const painted = await answered({ dialect, model: 'sim/painter', stream, modalities });
      const picture = painted.find((event) => event.type === 'image');
      assert.match(picture?.type === 'image' ? String(picture.url) : '', /^data:image\/png;base64,/);
    }
    const spoken = await answered({
      dialect: 'chat',
      model: 'sim/speaker',
      stream,
      modalities: { input: [], output: ['audio'] },
      speech: { voice: 'a', format: 'wav' },
    });
    const data = spoken.map((event) => (event.type === 'audio-delta' ? (event.data ?? '') : '')).join('');
    assert.is(Buffer.from(data, 'base64').subarray(0, 4).toString(), 'RIFF');
  }
});

/** Garbage that is still an answer: its usage is unreported, or another component judges its content. */
const ANSWERS: ReadonlySet<string> = new Set(['prose', 'wrong-tool', 'split-utf8', 'nan-usage', 'no-newline']);

for (const kind of GARBAGE) {
  it(`${kind}: the attempt fails or every count is unreported, in both dialects, streamed and whole`, async () => {
    for (const dialect of [...DIALECTS, 'completions'] as const) {
      for (const stream of [true, false]) {
        try {
          const messages = saying({ garbage: kind });
          const events = await answered({ kind: 'continuation', dialect, model: 'sim/fast', stream, messages });
          assert.ok(kind.endsWith('-usage') || ANSWERS.has(kind), `${dialect} ${stream}: ${JSON.stringify(events)}`);
          if (kind.endsWith('-usage')) assert.equal(usageOf(events), {}, `${dialect} ${stream}`);
        } catch (error) {
          assert.instance(error, ProviderFailure, String(error));
        }
      }
      const asked = { kind: 'continuation', dialect, model: 'sim/fast', stream: true } as const;
      assert.ok(textOf(await answered(asked)).length > 0);
    }
  });
}

it('a loop of ten turns with thinking, two calls each and a temperature is served by the provider that enforces its rules', async () => {
  const budget = { min: 1_024, max: 8_000 };
  const endpoint = endpointOf({
    target: {
      dialect: 'messages',
      baseUrl: `http://127.0.0.1:${simulator.port}/strict/anthropic/v1`,
      upstreamId: 'claude-haiku-4-5',
      wire: { exclusive: [['temperature', 'top_p']] },
    },
    supportedParameters: ['tools', 'reasoning', 'temperature', 'top_p'],
    reasoning: { mandatory: false, budget },
  });
  const call = { name: 'find', arguments: '{"n":1}' };
  const [asked] = saying({ reasoning_tokens: 2, tool_calls: [call, call] });
  // The history begins at another provider, whose ids and thinking are not of this dialect.
  const messages: TurnMessage[] = [
    { role: 'assistant', text: 'Welcome.' },
    asked as TurnMessage,
    {
      role: 'assistant',
      text: null,
      reasoning: 'hm',
      reasoningDetails: [{ type: 'reasoning.encrypted', data: 'b2Fp', format: 'openai-responses-v1', id: 'rs_1' }],
      toolCalls: [{ id: 'functions.find:0', ...call }],
    },
    { role: 'tool', text: '', toolCallId: 'functions.find:0' },
  ];
  const thought: boolean[] = [];
  for (let round = 0; round < 10; round++) {
    const requested = {
      messages,
      stream: round % 2 === 0,
      tools: [{ name: 'find', parameters: { type: 'object' } }],
      reasoning: { effort: 'high' },
      sampling: { temperature: 0.2, top_p: 0.9 },
    } as const;
    const events = await eventsOf(
      await open(outbound, {
        target: targetOf(endpoint, null),
        turn: turnOf(requested),
        ceiling: 4_000,
        generation: `gen-${round}`,
        limits: LIMITS,
        lineBytesMax: LINE_BYTES_MAX,
        sharing: UNSHARED,
        begun: () => {},
      }),
    );
    const details = events.flatMap((event) => (event.type === 'reasoning-detail' ? [event.detail] : []));
    const calls = events.flatMap((event) => (event.type === 'tool-start' ? [event] : []));
    thought.push(details.length > 0);
    assert.is(calls.length, 2);
    messages.push(answerOf(details, calls));
    for (const { id } of calls) messages.push({ role: 'tool', text: 'five', toolCallId: id });
    // The next round begins with a question, so that a budget is allowed again.
    if (round === 0) messages.push({ role: 'assistant', text: 'So.' }, asked as TurnMessage);
  }
  assert.equal(thought.slice(1), Array(9).fill(true));
  const sent = simulator.calls.slice(-10).map(({ body }) => body.thinking !== undefined);
  assert.equal(sent, [false, ...Array(9).fill(true)]);
});

/** What a client sends back: the fragments of thinking joined, the calls with their arguments. */
function answerOf(
  fragments: readonly ReasoningDetail[],
  calls: readonly { readonly id: string; readonly name: string }[],
): TurnMessage {
  const [first] = fragments;
  const text = fragments.map((each) => each.text ?? '').join('');
  const signature = fragments.findLast((each) => each.signature)?.signature ?? null;
  return {
    role: 'assistant',
    text: null,
    ...(first === undefined ? {} : { reasoningDetails: [{ ...first, text, signature }] }),
    toolCalls: calls.map(({ id, name }) => ({ id, name, arguments: '{"n":1}' })),
  };
}

test.run();
