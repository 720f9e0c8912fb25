import { ApiError, type Content, type FunctionDeclaration, GoogleGenAI, type Part } from '@google/genai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { UNSIGNED } from '../../../../gateway/providers/chat/earlier-reasoning.ts';
import { geminiAdapter } from '../../../../gateway/providers/gemini/adapter.ts';
import { GeminiReader } from '../../../../gateway/providers/gemini/reply-reader.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { type Simulator, startSimulator } from '../../../../gateway/simulator/simulator.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);
const TARGET: Endpoint['target'] = {
  dialect: 'gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  upstreamId: 'gemini-3-pro',
};
const TOOLS: NonNullable<Turn['tools']> = [{ name: 'find', parameters: { type: 'object', properties: {} } }];

let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim', keep: true });
});
test.after(() => simulator.close());

interface Body {
  readonly contents: readonly Content[];
  readonly generationConfig: Readonly<Record<string, unknown>>;
  readonly toolConfig?: unknown;
  readonly tools?: readonly [{ readonly functionDeclarations: readonly FunctionDeclaration[] }];
}

function bodyOf(requested: Partial<Turn>, declared: Partial<Endpoint> = {}): Body {
  const endpoint = endpointOf({
    target: TARGET,
    supportedParameters: ['temperature', 'top_p', 'top_k', 'stop', 'tools', 'seed'],
    ...declared,
  });
  return JSON.parse(geminiAdapter.writer(endpoint)(turnOf(requested), 1_000) as string) as Body;
}

it('the model and whether it streams are in the address', () => {
  assert.is(geminiAdapter.address(TARGET, true), '/models/gemini-3-pro:streamGenerateContent?alt=sse');
  const tuned = { ...TARGET, upstreamId: 'tunedModels/mine-1' };
  assert.is(geminiAdapter.address(tuned, false), '/tunedModels/mine-1:generateContent');
});

it('sampling, the ceiling and thoughts are members of the generation config', () => {
  const { generationConfig } = bodyOf({ sampling: { temperature: 0.5, top_k: -1, stop: 'END', seed: 7, min_p: 0.1 } });
  assert.equal(generationConfig, { temperature: 0.5, stopSequences: ['END'], seed: 7, maxOutputTokens: 1_000 });
});

const LEVELLED = { reasoning: { efforts: ['low', 'xhigh'], mandatory: true } } as const;
const BUDGETED = { reasoning: { budget: { min: 128, max: 600 }, mandatory: false } } as const;
const THINKING: readonly (readonly [Partial<Endpoint>, NonNullable<Turn['reasoning']>, unknown])[] = [
  [LEVELLED, { effort: 'low' }, { includeThoughts: true, thinkingLevel: 'LOW' }],
  [LEVELLED, { effort: 'xhigh' }, { includeThoughts: true, thinkingLevel: 'HIGH' }],
  [LEVELLED, { effort: 'low', excluded: true }, { thinkingLevel: 'LOW' }],
  [LEVELLED, {}, { includeThoughts: true }],
  [BUDGETED, { effort: 'low' }, { includeThoughts: true, thinkingBudget: 200 }],
  [BUDGETED, { effort: 'high' }, { includeThoughts: true, thinkingBudget: 600 }],
  [BUDGETED, { tokensMax: 300 }, { includeThoughts: true, thinkingBudget: 300 }],
  [BUDGETED, { enabled: true }, { includeThoughts: true, thinkingBudget: -1 }],
  [BUDGETED, { effort: 'none' }, { thinkingBudget: 0 }],
  [BUDGETED, {}, undefined],
];

it('an effort is a level, or a share of the ceiling where a budget is declared; thoughts are asked for', () => {
  for (const [declared, reasoning, expected] of THINKING) {
    assert.equal(bodyOf({ reasoning }, declared).generationConfig.thinkingConfig, expected, JSON.stringify(reasoning));
  }
});

it('a declared switch takes the place of the budget that switches off', () => {
  const wire = { thinkingSwitch: { path: ['thinkingConfig', 'thinkingLevel'], off: 'MINIMAL' } };
  const { generationConfig } = bodyOf({ reasoning: { enabled: false } }, { target: { ...TARGET, wire } });
  assert.equal(generationConfig.thinkingConfig, { thinkingLevel: 'MINIMAL' });
});

it('a schema is sent as it is, but a reference alone', () => {
  const parameters = {
    type: 'object',
    properties: { at: { $ref: '#/$defs/place', description: 'where' } },
    $defs: { place: { type: 'string', description: 'a place' } },
  };
  const { tools } = bodyOf({ tools: [{ name: 'find', parameters }] });
  assert.equal(tools?.[0].functionDeclarations[0]?.parametersJsonSchema, {
    ...parameters,
    properties: { at: { $ref: '#/$defs/place' } },
  });
});

it('strict tools are held to their schemas while the model chooses', () => {
  const modeOf = (requested: Partial<Turn>): unknown => bodyOf({ tools: TOOLS, ...requested }).toolConfig;
  assert.is(modeOf({}), undefined);
  const strict = TOOLS.map((tool) => ({ ...tool, strict: true }));
  assert.equal(modeOf({ tools: strict }), { functionCallingConfig: { mode: 'VALIDATED' } });
  assert.equal(modeOf({ tools: strict, toolChoice: 'required' }), { functionCallingConfig: { mode: 'ANY' } });
  assert.equal(modeOf({ toolChoice: { name: 'find' } }), {
    functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['find'] },
  });
});

const CALL = { id: 'call_1', name: 'find', arguments: '{"n":1}' };
const SECOND = { ...CALL, id: 'call_2' };
const SIGNED = { type: 'reasoning.encrypted', data: 'c2ln', format: 'google-gemini-v1', id: 'call_1' } as const;
const LOOP: Turn['messages'] = [
  { role: 'user', text: 'Hi' },
  { role: 'assistant', text: null, toolCalls: [CALL, SECOND] },
  { role: 'tool', text: 'five', toolCallId: 'call_1', toolName: 'find' },
  { role: 'tool', text: 'none', toolCallId: 'call_2', toolName: 'find', isError: true },
];

/** The signatures of the calls of the second content. */
function signaturesOf(messages: Turn['messages'], declared: Partial<Endpoint> = {}): unknown[] {
  return (bodyOf({ messages }, declared).contents[1]?.parts ?? []).map(({ thoughtSignature }) => thoughtSignature);
}

it('a step of another provider gets the documented stand-in on its first call, where signatures are demanded', () => {
  const signed = LOOP.map((message) =>
    message.role === 'assistant' ? { ...message, reasoningDetails: [SIGNED] } : message,
  );
  assert.equal(signaturesOf(LOOP), [UNSIGNED, undefined]);
  assert.equal(signaturesOf(signed), ['c2ln', undefined]);
  assert.equal(signaturesOf([...LOOP, { role: 'user', text: 'And?' }]), [undefined, undefined], 'a turn that is over');
  const older = { ...TARGET, upstreamId: 'gemini-2.5-flash' };
  assert.equal(signaturesOf(LOOP, { target: older }), [undefined, undefined]);
  const declared = { ...older, wire: { reasoningHistory: 'signature' } } as const;
  assert.equal(signaturesOf(LOOP, { target: declared }), [UNSIGNED, undefined]);
});

it('a result has the name and the id of its call, and says whether the tool failed', () => {
  const { contents } = bodyOf({ messages: LOOP });
  assert.equal(contents[2]?.parts, [
    { functionResponse: { id: 'call_1', name: 'find', response: { output: 'five' } } },
    { functionResponse: { id: 'call_2', name: 'find', response: { error: 'none' } } },
  ]);
});

function eventsOf(...frames: readonly object[]): TurnEvent[] {
  const events: TurnEvent[] = [];
  const reader = new GeminiReader((index) => `made_${index}`);
  for (const frame of frames) reader.readFrame(undefined, JSON.stringify(frame), events);
  return events;
}

const candidate = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ content: { parts, role: 'model' }, ...more }],
});

it('thoughts, signatures and calls keep their order, and a call without an id gets one', () => {
  const events = eventsOf(
    candidate([{ text: 'Hm ', thought: true }]),
    candidate([{ text: 'so', thought: true }, { text: 'Well.' }]),
    candidate([{ functionCall: { name: 'find', args: { n: 1 } }, thoughtSignature: 'c2ln' }], { finishReason: 'STOP' }),
  );
  const format = 'google-gemini-v1';
  assert.equal(events, [
    { type: 'reasoning-delta', text: 'Hm ' },
    { type: 'reasoning-detail', detail: { type: 'reasoning.text', text: 'Hm ', format, index: 0 } },
    { type: 'reasoning-delta', text: 'so' },
    { type: 'reasoning-detail', detail: { type: 'reasoning.text', text: 'so', format, index: 0 } },
    { type: 'text-delta', text: 'Well.' },
    { type: 'reasoning-detail', detail: { type: 'reasoning.encrypted', data: 'c2ln', format, index: 1, id: 'made_0' } },
    { type: 'tool-start', index: 0, id: 'made_0', name: 'find' },
    { type: 'tool-delta', index: 0, arguments: '{"n":1}' },
    { type: 'finish', reason: 'tool_calls', native: 'STOP' },
  ]);
});

it('a filter of the answer is a finish, a blocked prompt a refusal, and a malformed call no answer', () => {
  for (const finishReason of ['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY']) {
    assert.equal(eventsOf(candidate([], { finishReason })), [
      { type: 'finish', reason: 'content_filter', native: finishReason },
    ]);
  }
  const blocked = failureOf(() => eventsOf({ promptFeedback: { blockReason: 'SAFETY' } }));
  assert.is(blocked.reason, 'rejected');
  assert.equal(blocked.refusal, { code: 'content_policy_violation' });
  for (const finishReason of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'NO_IMAGE']) {
    assert.is(failureOf(() => eventsOf(candidate([], { finishReason }))).reason, 'garbage');
  }
});

it('a whole answer without a finish reason is finished, and one without candidates is none', () => {
  const events: TurnEvent[] = [];
  new GeminiReader(String).readWhole(candidate([{ text: 'Hi' }]), events);
  assert.is(events.at(-1)?.type, 'finish');
  assert.is(failureOf(() => new GeminiReader(String).readWhole({ usageMetadata: {} }, [])).reason, 'garbage');
});

it('thoughts are part of the answer and what hosted tools add of the prompt; absent counts are none', () => {
  const usageOf = (usageMetadata: object) => {
    const reader = new GeminiReader(String);
    reader.readFrame(undefined, JSON.stringify({ usageMetadata }), []);
    return reader.usage;
  };
  assert.equal(
    usageOf({
      promptTokenCount: 100,
      toolUsePromptTokenCount: 7,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 40,
      thoughtsTokenCount: 9,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 30 }],
    }),
    { promptTokens: 107, cachedTokens: 60, completionTokens: 49, reasoningTokens: 9, imageTokens: 30 },
  );
  assert.equal(usageOf({ promptTokenCount: 5, thoughtsTokenCount: 3 }), {
    promptTokens: 5,
    completionTokens: 3,
    reasoningTokens: 3,
  });
  assert.equal(usageOf({ promptTokenCount: 5, totalTokenCount: 5 }), { promptTokens: 5, completionTokens: 0 });
  assert.equal(usageOf({ promptTokenCount: 5, totalTokenCount: 9 }), { promptTokens: 5 });
});

it('a source supports the passage whose bytes it names', () => {
  const text = 'Grüße. Ein Satz.';
  const from = Buffer.byteLength('Grüße. ');
  const groundingMetadata = {
    groundingChunks: [
      { web: { uri: 'https://a.test/1', title: 'One' } },
      { web: { uri: 'https://a.test/2' } },
      { web: { uri: 'javascript:alert(1)' } },
    ],
    groundingSupports: [
      { segment: { startIndex: from, endIndex: Buffer.byteLength(text) }, groundingChunkIndices: [0, 9] },
    ],
  };
  const events = eventsOf(candidate([{ text }], { finishReason: 'STOP', groundingMetadata }));
  assert.equal(
    events.flatMap((event) => (event.type === 'citation' ? [event.citation] : [])),
    [{ url: 'https://a.test/1', title: 'One', passage: { start: 7, end: text.length } }, { url: 'https://a.test/2' }],
  );
});

it('the sources of a text that is too long for places have none, and the text is not read for them', () => {
  const text = 'ü'.repeat(8 * 1024 * 1024);
  const segment = { startIndex: 1024 * 1024, endIndex: 16 * 1024 * 1024 };
  const groundingSupports = Array.from({ length: 256 }, () => ({ segment, groundingChunkIndices: [0] }));
  const groundingMetadata = { groundingChunks: [{ web: { uri: 'https://a.test/1' } }], groundingSupports };
  const read: number[] = [];
  const { from } = Buffer;
  Buffer.from = ((value: string, ...rest: never[]) => {
    read.push(value.length);
    return from(value, ...rest);
  }) as typeof from;
  let events: readonly TurnEvent[];
  try {
    events = eventsOf(candidate([{ text }], { finishReason: 'STOP', groundingMetadata }));
    eventsOf(candidate([{ text: 'short' }], { finishReason: 'STOP', groundingMetadata }));
  } finally {
    Buffer.from = from;
  }
  assert.equal(
    events.flatMap((event) => (event.type === 'citation' ? [event.citation] : [])),
    [{ url: 'https://a.test/1' }],
  );
  assert.equal(read, ['short'.length], 'only a short text is turned into the bytes in which places are counted');
});

function clientOf(baseUrl: string, apiVersion: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl, apiVersion } });
}

it('the client of the service reads what the simulated provider answers, whole and streamed', async () => {
  const client = clientOf(`http://127.0.0.1:${simulator.port}`, 'v1');
  const ask = { model: 'sim/thinker', contents: 'Hi', config: { thinkingConfig: { includeThoughts: true } } };
  const whole = await client.models.generateContent(ask);
  assert.match(whole.text ?? '', /x1 x2/);
  assert.ok((whole.usageMetadata?.thoughtsTokenCount ?? 0) > 0);
  assert.is(whole.candidates?.[0]?.finishReason, 'STOP');
  let [text, thoughts, tokens] = ['', '', 0];
  for await (const chunk of await client.models.generateContentStream(ask)) {
    for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
      if (part.thought) thoughts += part.text;
      else text += part.text;
    }
    tokens += chunk.usageMetadata?.candidatesTokenCount ?? 0;
  }
  assert.match(text, /x1 x2/);
  assert.match(thoughts, /r1 r2/);
  assert.ok(tokens > 0);
});

it('the client goes a tool loop at the strict provider, which refuses a call without its signature', async () => {
  const client = clientOf(`http://127.0.0.1:${simulator.port}/strict/google`, 'v1beta');
  const user = { role: 'user', parts: [{ text: 'Find it.' }] };
  const config = { tools: [{ functionDeclarations: [{ name: 'find', parametersJsonSchema: { type: 'object' } }] }] };
  const { functionCalls, candidates } = await client.models.generateContent({
    model: 'sim/tools',
    contents: [user],
    config,
  });
  const [call] = functionCalls ?? [];
  assert.is(call?.name, 'find');
  const parts = candidates?.[0]?.content?.parts ?? [];
  const answered = (model: readonly Part[]) => {
    const result = { functionResponse: { id: call?.id ?? '', name: 'find', response: { output: 'five' } } };
    const contents = [user, { role: 'model', parts: [...model] }, { role: 'user', parts: [result] }];
    return client.models.generateContent({ model: 'sim/tools', contents, config });
  };
  assert.match((await answered(parts)).text ?? '', /x1/);
  const unsigned = parts.map(({ thoughtSignature: _, ...part }) => part);
  const refused = await answered(unsigned).catch((error: unknown) => error);
  assert.instance(refused, ApiError);
  assert.match((refused as ApiError).message, /missing a thought_signature/);
});

function failureOf(read: () => unknown): ProviderFailure {
  try {
    read();
  } catch (error) {
    if (error instanceof ProviderFailure) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

test.run();
