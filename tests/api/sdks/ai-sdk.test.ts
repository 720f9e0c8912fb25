import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { APICallError, generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { bounded } from '../../support/bounded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { say } from '../../support/provider/say.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** The AI SDK with both providers of the chat dialect: each clause runs with both. */
const it = bounded(test);

const { cluster, funded } = await openApi(test, openCluster);

type Maker = (model: string, apiKey?: string) => LanguageModel;

const PROVIDERS: Readonly<Record<string, Maker>> = {
  'openrouter provider': (model, apiKey = funded.key) =>
    createOpenRouter({ apiKey, baseURL: cluster.baseUrls[0] as string })(model),
  'openai-compatible': (model, apiKey = funded.key) =>
    createOpenAICompatible({
      name: 'troupe',
      apiKey,
      baseURL: cluster.baseUrls[0] as string,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })(model),
};

async function failure(run: () => PromiseLike<unknown>): Promise<APICallError> {
  const error = await failureOf(run());
  // The providers carry copies of this class.
  if (!APICallError.isInstance(error)) throw error;
  return error;
}

const weather = tool({
  description: 'Returns the weather',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 4 }),
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

for (const [name, model] of Object.entries(PROVIDERS)) {
  it(`${name}: answers text with its usage`, async () => {
    const { text, usage, finishReason, response } = await generateText({ model: model('sim/fast'), prompt: 'hello' });
    assert.match(text, /x15/);
    assert.is(finishReason, 'stop');
    assert.is(usage.outputTokens, 16);
    assert.match(response.id, /^gen-/);
  });

  it(`${name}: streams text, and reports usage at the end`, async () => {
    const result = streamText({ model: model('sim/fast'), prompt: 'hello' });
    let text = '';
    for await (const piece of result.textStream) text += piece;
    assert.match(text, /x1 x2 .*x15/);
    assert.is((await result.usage).outputTokens, 16);
    assert.is(await result.finishReason, 'stop');
  });

  it(`${name}: runs a tool and continues with its result, whole and streamed`, async () => {
    const ask = { model: model('sim/tools'), prompt: 'Weather?', tools: { weather }, stopWhen: stepCountIs(3) };
    const whole = await generateText(ask);
    assert.equal(
      whole.steps.map(({ finishReason }) => finishReason),
      ['tool-calls', 'stop'],
    );
    assert.equal(whole.steps[0]?.toolResults[0]?.output, { city: 'x', celsius: 4 });
    const streamed = streamText(ask);
    await streamed.consumeStream();
    assert.equal((await streamed.steps)[0]?.toolCalls[0]?.input, { city: 'x' });
    assert.is((await streamed.steps).length, 2);
  });

  it(`${name}: forces one tool`, async () => {
    const ask = { model: model('sim/tools'), messages: say({}), tools: { weather } };
    const { toolCalls } = await generateText({ ...ask, toolChoice: { type: 'tool', toolName: 'weather' } });
    assert.is(toolCalls.length, 1);
  });

  it(`${name}: requests an object by its schema`, async () => {
    const schema = z.object({ city: z.string(), celsius: z.number() });
    const request = { model: model('sim/structured'), prompt: 'Weather?', output: Output.object({ schema }) };
    assert.ok(schema.safeParse((await generateText(request)).output).success);
  });

  it(`${name}: shows the reasoning of a model, whole and streamed`, async () => {
    const request = { model: model('sim/thinker'), prompt: 'hello' };
    const { reasoningText } = await generateText(request);
    assert.match(reasoningText ?? '', /\S/);
    const result = streamText(request);
    let reasoning = '';
    for await (const part of result.fullStream) if (part.type === 'reasoning-delta') reasoning += part.text;
    assert.match(reasoning, /\S/);
  });

  it(`${name}: sends an image`, async () => {
    const image = Buffer.from(PIXEL, 'base64');
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image' as const, image, mediaType: 'image/png' },
    ];
    const { text } = await generateText({ model: model('sim/vision'), messages: [{ role: 'user', content }] });
    assert.match(text, /image/);
  });

  it(`${name}: turns each refusal into an APICallError of its status`, async () => {
    const poor = await cluster.fund('0.000001');
    const table: readonly (readonly [number, LanguageModel, object])[] = [
      [400, model('sim/fast'), { temperature: 3 }],
      [401, model('sim/fast', `sk-gw-v1-${'0'.repeat(64)}`), {}],
      [402, model('sim/fast', poor.key), {}],
      [404, model('no/such'), {}],
      [502, model('sim/fast'), { messages: say({ status: 500 }) }],
    ];
    for (const [status, of, more] of table) {
      const request = { model: of, messages: say({}), maxRetries: 0, ...more };
      const error = await failure(() => generateText(request));
      assert.is(error.statusCode, status, error.message);
      assert.match(error.responseBody ?? '', new RegExp(`"code":${status}`));
      assert.is(error.isRetryable, status === 502);
    }
  });

  it(`${name}: reports an error inside a stream`, async () => {
    const errors: unknown[] = [];
    const messages = say({ tokens: 20, cut_after: 4 });
    const result = streamText({
      ...{ model: model('sim/fast'), messages, maxRetries: 0 },
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream();
    assert.is(errors.length, 1);
  });

  it(`${name}: an aborted stream is charged for the delivered part, and its hold ends`, async () => {
    const payer = await cluster.fund('10');
    const leave = new AbortController();
    const messages = say({ tokens: 400, tps: 50 });
    const result = streamText({ model: model('sim/fast', payer.key), messages, abortSignal: leave.signal });
    let text = '';
    for await (const piece of result.textStream) {
      text += piece;
      if (text.includes('x5')) leave.abort();
    }
    assert.not.match(text, /x300/);
    for (;;) {
      const headers = { authorization: `Bearer ${payer.key}` };
      const answer = await fetch(`${cluster.baseUrls[0]}/credits`, { headers });
      const { data } = (await answer.json()) as { data: { held: number; total_usage: number } };
      if (data.held === 0 && data.total_usage > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  });
}

test.run();
