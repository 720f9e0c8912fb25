import { createAnthropic } from '@ai-sdk/anthropic';
import { APICallError, generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { bounded } from '../../support/bounded.ts';
import { say } from '../../support/provider/say.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** The AI SDK with its provider of the messages dialect, unchanged. */
const it = bounded(test);

const { cluster, funded } = await openApi(test, openCluster);

function model(id: string, apiKey = funded.key): LanguageModel {
  return createAnthropic({ apiKey, baseURL: cluster.baseUrls[0] as string })(id);
}

const weather = tool({
  description: 'Returns the weather',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 4 }),
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

it('answers text with its usage, whole and streamed', async () => {
  const request = { maxOutputTokens: 400, model: model('sim/fast'), system: 'Be brief.', prompt: 'hello' };
  const { text, usage, finishReason, response } = await generateText(request);
  assert.match(text, /x15/);
  assert.equal([finishReason, usage.outputTokens], ['stop', 16]);
  assert.match(response.id, /^gen-/);
  const result = streamText(request);
  let streamed = '';
  for await (const piece of result.textStream) streamed += piece;
  assert.match(streamed, /x1 x2 .*x15/);
  assert.equal([await result.finishReason, (await result.usage).outputTokens], ['stop', 16]);
});

it('runs a tool and continues with its result, whole and streamed', async () => {
  const ask = {
    maxOutputTokens: 400,
    model: model('sim/tools'),
    prompt: 'Weather?',
    tools: { weather },
    stopWhen: stepCountIs(3),
  };
  const whole = await generateText(ask);
  assert.equal(
    whole.steps.map(({ finishReason }) => finishReason),
    ['tool-calls', 'stop'],
  );
  assert.equal(whole.steps[0]?.toolResults[0]?.output, { city: 'x', celsius: 4 });
  const streamed = streamText(ask);
  await streamed.consumeStream();
  const steps = await streamed.steps;
  assert.equal([steps.length, steps[0]?.toolCalls[0]?.input], [2, { city: 'x' }]);
});

it('forces one tool at a provider of either dialect', async () => {
  for (const id of ['sim/tools', 'sim/scribe']) {
    const ask = { maxOutputTokens: 400, model: model(id), messages: say({}), tools: { weather } };
    const { toolCalls } = await generateText({ ...ask, toolChoice: { type: 'tool', toolName: 'weather' } });
    assert.is(toolCalls.length, 1);
  }
});

it('requests an object by its schema', async () => {
  const schema = z.object({ city: z.string(), celsius: z.number() });
  const request = {
    maxOutputTokens: 400,
    model: model('sim/structured'),
    prompt: 'Weather?',
    output: Output.object({ schema }),
  };
  assert.ok(schema.safeParse((await generateText(request)).output).success);
});

it('shows the thinking of a model and sends it back with a tool result, at both kinds of providers', async () => {
  for (const provider of ['sim-c', 'sim-d']) {
    const request = { maxOutputTokens: 400, model: routed('sim/thinker', provider), tools: { weather } };
    const calls = say({ tool_calls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] });
    const first = await generateText({ ...request, messages: calls });
    assert.match(first.reasoningText ?? '', /r1 /);
    assert.is(first.toolCalls.length, 1);
    const next = streamText({ ...request, messages: [...calls, ...first.response.messages] });
    assert.match(String(await next.reasoningText), /r1 /);
    const sent = JSON.stringify(cluster.simulators['abcd'.indexOf(provider.at(-1) as string)]?.calls.at(-1)?.body);
    assert.match(sent, provider === 'sim-c' ? /"reasoning_details":\[\{/ : /"type":"thinking"/);
    assert.match(sent, provider === 'sim-c' ? /"role":"tool"/ : /"type":"tool_result"/);
  }
});

/** A model at one provider: the body of each request gets the preference. */
function routed(id: string, provider: string): LanguageModel {
  const withProvider: typeof fetch = (input, init) => {
    const body = { ...JSON.parse(String(init?.body)), provider: { only: [provider] } };
    return fetch(input, { ...init, body: JSON.stringify(body) });
  };
  return createAnthropic({ apiKey: funded.key, baseURL: cluster.baseUrls[0] as string, fetch: withProvider })(id);
}

it('sends an image and a document', async () => {
  const content = [
    { type: 'text' as const, text: 'What is this?' },
    { type: 'image' as const, image: Buffer.from(PIXEL, 'base64'), mediaType: 'image/png' },
    { type: 'file' as const, data: Buffer.from('%PDF-1.4 tiny'), mediaType: 'application/pdf', filename: 'a.pdf' },
  ];
  const { text } = await generateText({
    maxOutputTokens: 400,
    model: model('sim/scribe'),
    messages: [{ role: 'user', content }],
  });
  assert.match(text, /image.*file/);
});

it('turns each refusal into an APICallError of its status', async () => {
  const poor = await cluster.fund('0.000001');
  const table: readonly (readonly [number, LanguageModel, object])[] = [
    [401, model('sim/fast', `sk-gw-v1-${'0'.repeat(64)}`), {}],
    [402, model('sim/fast', poor.key), {}],
    [404, model('no/such'), {}],
    [502, model('sim/fast'), { messages: say({ status: 500 }) }],
  ];
  for (const [status, of, more] of table) {
    const request = { maxOutputTokens: 400, model: of, messages: say({}), maxRetries: 0, ...more };
    const error = await generateText(request).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(APICallError.isInstance(error), String(error));
    assert.equal([error.statusCode, error.isRetryable], [status, status === 502]);
  }
});

it('reports an error inside a stream', async () => {
  const errors: unknown[] = [];
  const result = streamText({
    ...{ maxOutputTokens: 400, model: model('sim/fast'), messages: say({ tokens: 20, cut_after: 4 }), maxRetries: 0 },
    onError: ({ error }) => void errors.push(error),
  });
  await result.consumeStream();
  assert.is(errors.length, 1);
});

test.run();
