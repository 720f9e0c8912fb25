import { CohereClientV2, CohereError } from 'cohere-ai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import { adapterOf } from '../../../../gateway/providers/call/target.ts';
import { cohereAdapter } from '../../../../gateway/providers/cohere/adapter.ts';
import { CohereReader } from '../../../../gateway/providers/cohere/reply-reader.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { type Simulator, startSimulator } from '../../../../gateway/simulator/simulator.ts';
import type { MediaPart, Turn } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);
const DECLARED: Partial<Endpoint> = {
  target: { dialect: 'cohere', baseUrl: 'https://api.cohere.test', upstreamId: 'command-a' },
  supportedParameters: ['temperature', 'top_p', 'top_k', 'stop', 'tools', 'enable_thinking'],
  inputModalities: ['text', 'image', 'file'],
  reasoning: { mandatory: false, budget: { min: 1, max: 500 } },
};
const ENDPOINT = endpointOf(DECLARED);
const TOOLS: NonNullable<Turn['tools']> = [{ name: 'find' }, { name: 'see', strict: true }];
const CALLED: Turn['messages'][number] = {
  role: 'assistant',
  text: 'So.',
  reasoning: 'I look.',
  toolCalls: [{ id: 'find_1', name: 'find', arguments: '' }],
};

let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim', keep: true });
});
test.after(() => simulator.close());

function bodyOf(requested: Partial<Turn>, endpoint: Endpoint = ENDPOINT): Readonly<Record<string, unknown>> {
  return JSON.parse(cohereAdapter.writer(endpoint)(turnOf(requested), 1_000) as string) as Record<string, unknown>;
}

it('sampling has the names of the wire, and a p that it admits', () => {
  const turn = turnOf({ sampling: { temperature: 0.5, top_p: 1, top_k: 3, stop: 'END' } });
  assert.equal(bodyOf(turn), {
    model: 'command-a',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: false,
    max_tokens: 1_000,
    temperature: 0.5,
    p: 0.99,
    k: 3,
    stop_sequences: ['END'],
  });
  assert.equal(cohereAdapter.leftOut(turn, ENDPOINT, 1_000), ['top_p']);
  assert.is(bodyOf({ sampling: { top_k: -1 } }).k, undefined);
});

it('a named tool is the only one, and required; one strict tool makes all strict', () => {
  const named = bodyOf({ tools: TOOLS, toolChoice: { name: 'find' } });
  assert.equal(named.tools, [
    { type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } },
  ]);
  assert.is(named.tool_choice, 'REQUIRED');
  assert.is(named.strict_tools, undefined);
  const free = bodyOf({ tools: TOOLS, toolChoice: 'none' });
  assert.is(free.tool_choice, 'NONE');
  assert.is(free.strict_tools, true);
});

it('thinking has a budget within the declared one, or is switched (rule I113)', () => {
  const thinkingOf = (reasoning: Turn['reasoning']): unknown =>
    bodyOf(reasoning === undefined ? {} : { reasoning }).thinking;
  assert.equal(thinkingOf({ tokensMax: 64 }), { type: 'enabled', token_budget: 64 });
  assert.equal(thinkingOf({ effort: 'low' }), { type: 'enabled', token_budget: 200 });
  assert.equal(thinkingOf({ effort: 'high' }), { type: 'enabled', token_budget: 500 });
  assert.equal(thinkingOf({ effort: 'none' }), { type: 'disabled' });
  assert.equal(thinkingOf({ enabled: true }), { type: 'enabled' });
  assert.is(thinkingOf(undefined), undefined);
  assert.equal(bodyOf({ sampling: { enable_thinking: false } }).thinking, { type: 'disabled' });
});

it('earlier reasoning is thinking where the model thinks, else the plan of its calls, and none where declared', () => {
  const messages: Turn['messages'] = [{ role: 'user', text: 'Hi' }, CALLED];
  const sentBy = (more: Partial<Endpoint>): unknown =>
    (bodyOf({ messages }, endpointOf({ ...DECLARED, ...more })).messages as unknown[])[1];
  const call = {
    role: 'assistant',
    tool_calls: [{ id: 'find_1', type: 'function', function: { name: 'find', arguments: '{}' } }],
  };
  assert.equal(sentBy({}), {
    ...call,
    content: [
      { type: 'thinking', thinking: 'I look.' },
      { type: 'text', text: 'So.' },
    ],
  });
  assert.equal(sentBy({ reasoning: null }), { ...call, tool_plan: 'I look.', content: 'So.' });
  const wire = { reasoningHistory: 'none' } as const;
  assert.equal(sentBy({ target: { ...ENDPOINT.target, wire } }), { ...call, content: 'So.' });
});

const NOTE: MediaPart = {
  type: 'file',
  source: { kind: 'data', mediaType: 'text/plain', base64: Buffer.from('Köln').toString('base64') },
  filename: 'a.txt',
};

it('a text is a document of the request, or of the result of a tool; any other file is refused', () => {
  const { messages, documents } = bodyOf({
    messages: [
      { role: 'user', text: '', parts: [NOTE] },
      CALLED,
      { role: 'tool', toolCallId: 'find_1', text: '', parts: [NOTE], isError: true },
    ],
  });
  const document = { data: { title: 'a.txt', text: 'Köln' } };
  assert.equal(documents, [document]);
  const [asked, , result] = messages as { content: unknown }[];
  assert.is(asked?.content, 'See the documents.');
  assert.equal(result?.content, [
    { type: 'text', text: 'Error: ' },
    { type: 'document', document },
  ]);
  const pdf: MediaPart = { ...NOTE, source: { kind: 'data', mediaType: 'application/pdf', base64: 'JVBERi0x' } };
  const linked: MediaPart = { ...NOTE, source: { kind: 'url', url: 'https://p.test/a.txt' } };
  for (const part of [pdf, linked]) {
    assert.throws(
      () => bodyOf({ messages: [{ role: 'user', text: '', parts: [part] }] }),
      (error: unknown) => error instanceof ProviderFailure && error.refusal?.code === 'unsupported_parameter',
    );
  }
});

it('documents follow those of the caller, which a model may cite', () => {
  const endpoint = endpointOf({ ...DECLARED, passthrough: { documents: { type: 'unknown' } } });
  const options = { [endpoint.provider.slug]: { documents: ['one'] } };
  const preferences = { allowFallbacks: true, options };
  const messages: Turn['messages'] = [{ role: 'user', text: '', parts: [NOTE] }];
  assert.equal(bodyOf({ messages, preferences }, endpoint).documents, [
    'one',
    { data: { title: 'a.txt', text: 'Köln' } },
  ]);
});

it('a schema is that of a JSON object', () => {
  const schema = { type: 'object' };
  const responseFormat = { type: 'json_schema', json_schema: { name: 'r', schema } };
  assert.equal(bodyOf({ responseFormat }).response_format, { type: 'json_object', json_schema: schema });
  assert.equal(bodyOf({ responseFormat: { type: 'json_object' } }).response_format, { type: 'json_object' });
  assert.is(bodyOf({ responseFormat: { type: 'text' } }).response_format, undefined);
});

const end = (members: object): string => JSON.stringify({ type: 'message-end', delta: members });

it('the reasons of an end: a full window and a limit, a filter, a breakdown with its usage', () => {
  const reasonOf = (finish_reason: string): unknown => {
    const events: TurnEvent[] = [];
    new CohereReader(String).readFrame('message-end', end({ finish_reason }), events);
    return (events[0] as { reason?: unknown }).reason;
  };
  assert.is(reasonOf('STOP_SEQUENCE'), 'stop');
  assert.is(reasonOf('MAX_TOKENS'), 'length');
  assert.is(reasonOf('ERROR_TOXIC'), 'content_filter');
  for (const [finish_reason, category] of [
    ['ERROR', 'unavailable'],
    ['TIMEOUT', 'timeout'],
  ]) {
    const reader = new CohereReader(String);
    const usage = { billed_units: { input_tokens: 3, output_tokens: 1 } };
    const failure = failureOf(() => reader.readFrame('', end({ finish_reason, error: 'secret', usage }), []));
    assert.is(failure.reason, category);
    assert.not.match(failure.message, /secret/);
    assert.equal(reader.usage, { promptTokens: 3, completionTokens: 1 });
  }
});

it('tokens are those that are billed, or else those that were read; of the cached ones those of the template do not count', () => {
  const usageOf = (usage: object): unknown => {
    const reader = new CohereReader(String);
    reader.readFrame('', end({ finish_reason: 'COMPLETE', usage }), []);
    return reader.usage;
  };
  const tokens = { input_tokens: 500, output_tokens: 5 };
  assert.equal(usageOf({ tokens, cached_tokens: 448 }), { promptTokens: 500, cachedTokens: 448, completionTokens: 5 });
  const billed_units = { input_tokens: 60, output_tokens: 2 };
  assert.equal(usageOf({ billed_units, tokens, cached_tokens: 448 }), {
    promptTokens: 60,
    cachedTokens: 8,
    completionTokens: 2,
  });
});

it('a source of the plan has no passage in the answer', () => {
  const events: TurnEvent[] = [];
  new CohereReader(String).readWhole(
    {
      id: 'c1',
      message: {
        content: [{ type: 'text', text: 'Yes.' }],
        citations: [
          { start: 0, end: 2, type: 'PLAN', sources: [{ type: 'tool', tool_output: { url: 'https://a.test/' } }] },
          { start: 0, end: 2, sources: [{ type: 'document', document: { url: 'javascript:alert(1)' } }] },
        ],
      },
      finish_reason: 'COMPLETE',
    },
    events,
  );
  assert.equal(
    events.filter(({ type }) => type === 'citation'),
    [{ type: 'citation', citation: { url: 'https://a.test/' } }],
  );
});

const ASKED = 'Go @sim {"reasoning_tokens":3,"tool_calls":[{"name":"find","arguments":"{\\"n\\":1}"}]}';

it('the client of the provider reads what the simulated one answers, whole and streamed, and is refused in its words', async () => {
  const environment = `http://127.0.0.1:${simulator.port}/strict/cohere`;
  const client = new CohereClientV2({ token: 'k', environment, maxRetries: 0 });
  const tools = [{ type: 'function' as const, function: { name: 'find', parameters: { type: 'object' } } }];
  const request = { model: 'sim/tools', messages: [{ role: 'user' as const, content: ASKED }], tools };
  const whole = await client.chat(request);
  assert.is(whole.finishReason, 'TOOL_CALL');
  assert.is(whole.message.toolCalls?.[0]?.function?.name, 'find');
  assert.is(whole.message.toolPlan, 'r1 r2 r3 ');
  assert.ok((whole.usage?.billedUnits?.inputTokens ?? 0) > 0);
  let plan = '';
  let given = '';
  let output = 0;
  for await (const event of await client.chatStream(request)) {
    if (event.type === 'tool-plan-delta') plan += event.delta?.message?.toolPlan ?? '';
    if (event.type === 'tool-call-delta') given += event.delta?.message?.toolCalls?.function?.arguments ?? '';
    if (event.type === 'message-end') output = event.delta?.usage?.tokens?.outputTokens ?? 0;
  }
  assert.is(plan, 'r1 r2 r3 ');
  assert.equal(JSON.parse(given), { n: 1 });
  assert.ok(output > 0);
  try {
    await client.chat({ ...request, p: 1 });
    assert.unreachable();
  } catch (error) {
    assert.instance(error, CohereError);
    assert.match((error as CohereError).message, /p must be between 0.01 and 0.99 inclusive/);
  }
});

const EMBEDDING: Partial<Endpoint> = {
  ...DECLARED,
  supportedParameters: ['dimensions', 'input_type'],
  outputModalities: ['embeddings'],
};

it('an endpoint of vectors is called at their own address, for documents where the request does not say', () => {
  const endpoint = endpointOf(EMBEDDING);
  const adapter = adapterOf(endpoint);
  assert.is(adapter?.address(endpoint.target, false), '/v2/embed');
  const messages: Turn['messages'] = ['a', 'b'].map((text) => ({ role: 'user', text }));
  const sent = (sampling: Turn['sampling'], declared: Partial<Endpoint> = {}): unknown =>
    JSON.parse(String(adapter?.writer(endpointOf({ ...EMBEDDING, ...declared }))(turnOf({ messages, sampling }), 0)));
  const body = { model: 'command-a', texts: ['a', 'b'], truncate: 'NONE', input_type: 'search_document' };
  assert.equal(sent({}), { ...body, embedding_types: ['float'] });
  const encoding_format = { type: 'enum', values: ['float', 'base64'] } as const;
  assert.equal(sent({ dimensions: 256, input_type: 'search_query' }, { descriptors: { encoding_format } }), {
    ...body,
    input_type: 'search_query',
    output_dimension: 256,
    embedding_types: ['base64'],
  });
  const ids: Turn['messages'] = [{ role: 'user', text: '', tokens: [1, 2] }];
  const failure = failureOf(() => adapter?.writer(endpoint)(turnOf({ messages: ids }), 0));
  assert.equal(failure.refusal, { code: 'unsupported_parameter', param: 'input' });
});

it('vectors are read by their type, and the client reads those of the simulated provider', async () => {
  const asked = turnOf({ messages: ['a', 'b'].map((text) => ({ role: 'user', text })) });
  const adapter = adapterOf(endpointOf(EMBEDDING));
  const request = { model: 'sim/embed', texts: ['a', 'b'], inputType: 'search_query' as const, outputDimension: 4 };
  for (const type of ['float', 'base64'] as const) {
    const sent = { model: 'sim/embed', texts: ['a', 'b'], output_dimension: 4, embedding_types: [type] };
    const response = await fetch(`http://127.0.0.1:${simulator.port}/strict/cohere/v2/embed`, {
      method: 'POST',
      body: JSON.stringify({ ...sent, input_type: 'search_query' }),
    });
    const events: TurnEvent[] = [];
    const reader = adapter?.reader(String, undefined, asked);
    reader?.readWhole((await response.json()) as Record<string, unknown>, events);
    const [first] = events;
    assert.equal(first?.type === 'embeddings' && first.vectors.map(({ length }) => length), [4, 4]);
    assert.ok((reader?.usage.promptTokens ?? 0) > 0);
    const client = new CohereClientV2({ token: 'k', environment: `http://127.0.0.1:${simulator.port}/v1` });
    const { embeddings, meta } = await client.embed({ ...request, embeddingTypes: [type] });
    assert.is(embeddings[type]?.length, 2);
    assert.ok((meta?.billedUnits?.inputTokens ?? 0) > 0);
  }
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
