import { createHash, createHmac } from 'node:crypto';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { EventStreamCodec } from '@smithy/core/event-streams';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bedrockAdapter } from '../../../../gateway/providers/bedrock/adapter.ts';
import { BedrockReader } from '../../../../gateway/providers/bedrock/reply-reader.ts';
import { awsSignature } from '../../../../gateway/providers/call/credentials/aws-signature.ts';
import { StreamAttempt } from '../../../../gateway/providers/call/stream-attempt.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { type Simulator, startSimulator } from '../../../../gateway/simulator/simulator.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { eventsOf, failureOfReading, joined, played, UNSHARED } from '../played.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);
const BASE = 'https://bedrock-runtime.eu-central-1.amazonaws.com';
const ENDPOINT = endpointOf({
  target: { dialect: 'bedrock', baseUrl: BASE, upstreamId: 'eu.anthropic.claude-1:0' },
  supportedParameters: ['temperature', 'top_p', 'top_k', 'stop', 'tools', 'seed'],
  inputModalities: ['text', 'file'],
});
const TOOLS: NonNullable<Turn['tools']> = [{ name: 'find', parameters: { type: 'object', properties: {} } }];

let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim', keep: true });
});
test.after(() => simulator.close());

function bodyOf(requested: Partial<Turn>): Readonly<Record<string, unknown>> {
  return JSON.parse(bedrockAdapter.writer(ENDPOINT)(turnOf(requested), 100) as string) as Record<string, unknown>;
}

it('the model and whether it streams are in the address', () => {
  assert.is(bedrockAdapter.address(ENDPOINT.target, true), '/model/eu.anthropic.claude-1%3A0/converse-stream');
  assert.is(bedrockAdapter.address(ENDPOINT.target, false), '/model/eu.anthropic.claude-1%3A0/converse');
});

it('declared sampling without a place of its own is a field of the model', () => {
  const { inferenceConfig, additionalModelRequestFields } = bodyOf({
    sampling: { temperature: 0.5, top_p: 0.9, stop: 'END', top_k: 3, seed: 7, logprobs: true },
  });
  assert.equal(inferenceConfig, { maxTokens: 100, temperature: 0.5, topP: 0.9, stopSequences: ['END'] });
  assert.equal(additionalModelRequestFields, { top_k: 3, seed: 7 });
});

it('cache points stand behind the marked blocks, tools and system texts where that is declared, and nowhere else', () => {
  const marked: Partial<Turn> = {
    tools: [{ ...(TOOLS[0] as (typeof TOOLS)[number]), cacheFor: '5m' }],
    messages: [
      { role: 'system', text: 'long', parts: [{ type: 'text', text: 'long', cacheFor: '1h' }] },
      { role: 'user', text: 'Hi', parts: [{ type: 'text', text: 'Hi', cacheFor: '5m' }] },
    ],
  };
  const declared = { ...ENDPOINT, target: { ...ENDPOINT.target, wire: { cacheControl: true } } };
  const body = JSON.parse(bedrockAdapter.writer(declared)(turnOf(marked), 100) as string) as Record<string, unknown>;
  const point = { cachePoint: { type: 'default' } };
  assert.equal(body.system, [{ text: 'long' }, { cachePoint: { type: 'default', ttl: '1h' } }]);
  assert.equal(body.messages, [{ role: 'user', content: [{ text: 'Hi' }, point] }]);
  assert.equal((body.toolConfig as { readonly tools: readonly unknown[] }).tools.at(-1), point);
  assert.not.match(JSON.stringify(bodyOf(marked)), /cachePoint/);
});

it('with the choice none tools are sent only for a conversation with calls, which the service demands', () => {
  assert.is(bodyOf({ tools: TOOLS, toolChoice: 'none' }).toolConfig, undefined);
  const looped: Turn['messages'] = [
    { role: 'user', text: 'Hi' },
    { role: 'assistant', text: null, toolCalls: [{ id: 'call|1', name: 'find', arguments: '{}' }] },
    { role: 'tool', text: 'there', toolCallId: 'call|1' },
  ];
  const turn = turnOf({ tools: TOOLS, toolChoice: 'none', messages: looped });
  const { toolConfig, messages } = bodyOf(turn);
  assert.equal(Object.keys(toolConfig as object), ['tools']);
  assert.match(JSON.stringify(messages), /"toolUseId":"([\w-]{20})".*"toolUseId":"\1"/);
  assert.equal(bedrockAdapter.leftOut(turn, ENDPOINT, 100), ['tool_choice']);
});

it('a document alone gets the text that the service demands; names of documents differ', () => {
  const file = { type: 'file', source: { kind: 'data', mediaType: 'application/pdf', base64: 'JVBERi0x' } } as const;
  const { messages } = bodyOf({
    messages: [
      {
        role: 'user',
        text: '',
        parts: [
          { ...file, filename: 'a_b.pdf' },
          { ...file, filename: 'a_b.pdf' },
        ],
      },
    ],
  });
  const [{ content }] = messages as [{ content: { document?: { name: string }; text?: string }[] }];
  assert.equal(
    content.map(({ document, text }) => document?.name ?? text),
    ['a b-1', 'a b-2', 'See the document.'],
  );
});

it('an address of a medium is refused, because the service fetches none', () => {
  const part = { type: 'file', source: { kind: 'url', url: 'https://p.test/a.pdf' } } as const;
  assert.throws(
    () => bodyOf({ messages: [{ role: 'user', text: '', parts: [part] }] }),
    (error: unknown) => error instanceof ProviderFailure && error.refusal?.code === 'unsupported_parameter',
  );
});

const EXCEPTIONS: readonly (readonly [string, string])[] = [
  ['throttlingException', 'overloaded'],
  ['serviceUnavailableException', 'overloaded'],
  ['internalServerException', 'unavailable'],
  ['InternalFailureException', 'unavailable'],
  ['modelStreamErrorException', 'unavailable'],
  ['modelTimeoutException', 'timeout'],
  ['validationException', 'rejected'],
];

it('an exception in a stream is the failure that its name says', () => {
  for (const [name, reason] of EXCEPTIONS) {
    const failure = failureOf(() => new BedrockReader(String).readFrame(name, '{"message":"broken"}', []));
    assert.is(failure.reason, reason, name);
  }
});

it('a guardrail is a filter, a full window is the length, and a malformed call is no answer', () => {
  const finishOf = (stopReason: string): TurnEvent | undefined => {
    const events: TurnEvent[] = [];
    new BedrockReader(String).readFrame('messageStop', JSON.stringify({ stopReason }), events);
    return events[0];
  };
  const reasonOf = (stopReason: string): unknown => (finishOf(stopReason) as { reason?: unknown } | undefined)?.reason;
  assert.is(reasonOf('guardrail_intervened'), 'content_filter');
  assert.is(reasonOf('model_context_window_exceeded'), 'length');
  assert.is(failureOf(() => finishOf('malformed_tool_use')).reason, 'garbage');
});

it('a whole answer without a reason is finished, and one without any content is not (rule I60)', () => {
  const read = (content: readonly object[]): { reader: BedrockReader; events: TurnEvent[] } => {
    const reader = new BedrockReader(String);
    const events: TurnEvent[] = [];
    reader.readWhole({ output: { message: { content } } }, events);
    return { reader, events };
  };
  assert.equal(read([{ text: 'Hi' }]).events.at(-1), { type: 'finish', reason: 'stop', native: 'end_turn' });
  assert.not(read([]).reader.finished);
});

it('tokens written to the cache are counted by how long they stay', () => {
  const reader = new BedrockReader(String);
  const usage = { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 3, cacheWriteInputTokens: 7 };
  const cacheDetails = [
    { ttl: '5m', inputTokens: 2 },
    { ttl: '1h', inputTokens: 5 },
  ];
  reader.readFrame('metadata', JSON.stringify({ usage: { ...usage, cacheDetails } }), []);
  assert.equal(reader.usage, {
    promptTokens: 20,
    cachedTokens: 3,
    cacheWriteTokens: 2,
    cacheWrite1hTokens: 5,
    completionTokens: 5,
  });
});

const NOWHERE = { send: () => Promise.reject(new Error('no call is made')) };

it('a call is signed as the algorithm of the service says', async () => {
  const sign = awsSignature('AKIDEXAMPLE1234567:wJalrXUtnFEMI:session');
  const url = { origin: BASE, path: '/model/eu.anthropic.claude-1%3A0/converse' };
  const clock = { now: () => Date.UTC(2026, 10, 24, 12), monotonic: () => 0, after: () => () => {} };
  const added = await sign({
    method: 'POST',
    url,
    headers: ['content-type', 'application/json'],
    body: '{"a":1}',
    clock,
    outbound: NOWHERE,
  });
  const headers = new Map<string, string>();
  for (let at = 0; at < added.length; at += 2) headers.set(added[at] as string, added[at + 1] as string);
  assert.is(headers.get('x-amz-security-token'), 'session');
  assert.is(headers.get('x-amz-date'), '20261124T120000Z');
  headers.set('content-type', 'application/json').set('host', 'bedrock-runtime.eu-central-1.amazonaws.com');
  const { names = '', signature } =
    /SignedHeaders=(?<names>[^,]+), Signature=(?<signature>\w+)/.exec(headers.get('authorization') ?? '')?.groups ?? {};
  assert.ok(names.split(';').includes('host'));
  assert.is(signature, expectedSignature(names.split(';'), headers));
});

/** The published algorithm, written out. */
function expectedSignature(names: readonly string[], headers: ReadonlyMap<string, string>): string {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const canonical = [
    'POST',
    '/model/eu.anthropic.claude-1%253A0/converse',
    '',
    ...names.map((name) => `${name}:${headers.get(name)}`),
    '',
    names.join(';'),
    sha256('{"a":1}'),
  ].join('\n');
  const scope = '20261124/eu-central-1/bedrock/aws4_request';
  const text = ['AWS4-HMAC-SHA256', '20261124T120000Z', scope, sha256(canonical)].join('\n');
  const parts = ['20261124', 'eu-central-1', 'bedrock', 'aws4_request'];
  const key = parts.reduce<string | Buffer>((secret, part) => hmac(secret, part), 'AWS4wJalrXUtnFEMI');
  return hmac(key, text).toString('hex');
}

it('a secret that is no access key is never quoted', () => {
  for (const secret of ['{"AccessKeyId":"AKIDEXAMPLE","SecretAccessKey":sesame}', '{"sesame":"sesame"}', '{sesame']) {
    assert.throws(
      () => awsSignature(secret),
      (error: Error) => error instanceof ProviderFailure && !error.message.includes('sesame'),
    );
  }
});

it('a key of the service is sent as it is', async () => {
  const call = { method: 'POST', url: { origin: BASE, path: '/' }, headers: [], body: '{}' } as const;
  const clock = { now: () => 0, monotonic: () => 0, after: () => () => {} };
  assert.equal(await awsSignature('bedrock-api-key-abc')({ ...call, clock, outbound: NOWHERE }), [
    'authorization',
    'Bearer bedrock-api-key-abc',
  ]);
});

/** The events of a stream of Claude that thinks and calls a tool, in the service's published form. */
const EVENTS: readonly (readonly [string, object])[] = [
  ['messageStart', { role: 'assistant', p: 'abcd' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Kö' } } }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { text: 'ln?' } } }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'c2ln' } } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['contentBlockDelta', { contentBlockIndex: 1, delta: { text: 'I look. 🚀' } }],
  ['contentBlockStop', { contentBlockIndex: 1 }],
  ['contentBlockStart', { contentBlockIndex: 2, start: { toolUse: { toolUseId: 'tooluse_1', name: 'find' } } }],
  ['contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: '{"city":"K' } } }],
  ['contentBlockDelta', { contentBlockIndex: 2, delta: { toolUse: { input: 'öln"}' } } }],
  ['contentBlockStop', { contentBlockIndex: 2 }],
  ['messageStop', { stopReason: 'tool_use' }],
  ['metadata', { usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 }, metrics: { latencyMs: 5 } }],
];
const format = 'anthropic-claude-v1';
const PARTS: readonly TurnEvent[] = [
  { type: 'reasoning-delta', text: 'Kö' },
  { type: 'reasoning-detail', detail: { type: 'reasoning.text', text: 'Kö', format, index: 0 } },
  { type: 'reasoning-delta', text: 'ln?' },
  { type: 'reasoning-detail', detail: { type: 'reasoning.text', text: 'ln?', format, index: 0 } },
  { type: 'reasoning-detail', detail: { type: 'reasoning.text', signature: 'c2ln', format, index: 0 } },
  { type: 'text-delta', text: 'I look. 🚀' },
  { type: 'tool-start', index: 0, id: 'tooluse_1', name: 'find' },
  { type: 'tool-delta', index: 0, arguments: '{"city":"K' },
  { type: 'tool-delta', index: 0, arguments: 'öln"}' },
  { type: 'finish', reason: 'tool_calls', native: 'tool_use' },
  { type: 'usage', usage: { promptTokens: 11, completionTokens: 7 } },
];

it('a published stream reads the same, split at any byte; cut before its end it is a failure (rules I60, I61)', async () => {
  const bytes = Buffer.concat(EVENTS.map(([name, body]) => Buffer.from(frameOf(name, body))));
  const read = (pieces: readonly Uint8Array[]): StreamAttempt =>
    new StreamAttempt(played(pieces), new BedrockReader(String), {
      ...UNSHARED,
      lineCharactersMax: 64 * 1024,
      framing: bedrockAdapter.framing,
    });
  for (let at = 0; at <= bytes.length; at++) {
    assert.equal(
      joined(await eventsOf(read([bytes.subarray(0, at), bytes.subarray(at)]))),
      joined(PARTS),
      `split at ${at}`,
    );
  }
  const finish = bytes.indexOf('messageStop');
  for (let at = 0; at < finish; at += 7) {
    assert.is((await failureOfReading(read([bytes.subarray(0, at)]))).reason, 'garbage', `cut at ${at}`);
  }
});

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text),
);

function frameOf(name: string, body: object): Uint8Array {
  const headers = { ':event-type': { type: 'string' as const, value: name } };
  return codec.encode({ headers, body: Buffer.from(JSON.stringify(body)) });
}

it('the client of the service reads what the simulated provider answers, whole and streamed', async () => {
  const client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: simulator.baseUrl,
    requestHandler: new NodeHttpHandler(),
    credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' },
  });
  const input: ConverseCommandInput = {
    modelId: 'sim/tools',
    messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    inferenceConfig: { maxTokens: 50 },
    toolConfig: {
      tools: [{ toolSpec: { name: 'find', inputSchema: { json: { type: 'object', properties: {} } } } }],
      toolChoice: { any: {} },
    },
  };
  const whole = await client.send(new ConverseCommand(input));
  assert.is(whole.stopReason, 'tool_use');
  assert.is(whole.output?.message?.content?.[0]?.toolUse?.name, 'find');
  const { stream } = await client.send(new ConverseStreamCommand({ ...input, toolConfig: undefined }));
  let text = '';
  let tokens = 0;
  for await (const event of stream ?? []) {
    text += event.contentBlockDelta?.delta?.text ?? '';
    tokens += event.metadata?.usage?.outputTokens ?? 0;
  }
  assert.match(text, /x1 x2/);
  assert.ok(tokens > 0);
  client.destroy();
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
