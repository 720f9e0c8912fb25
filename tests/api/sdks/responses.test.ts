import { createOpenAI } from '@ai-sdk/openai';
import { tool as langTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, tool as agentTool, OpenAIResponsesModel, run, setTracingDisabled } from '@openai/agents';
import { APICallError, generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { bounded } from '../../support/bounded.ts';
import { say } from '../../support/provider/say.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** The clients of the responses dialect, unchanged: nothing is set but address, key and model. */
const it = bounded(test);

setTracingDisabled(true);
const { cluster, funded, base: baseURL } = await openApi(test, openCluster);
const openai = new OpenAI({ apiKey: funded.key, baseURL, maxRetries: 0 });

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WEATHER = {
  type: 'function',
  name: 'weather',
  description: 'Returns the weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
} as const;

/** The prompt that steers the simulated provider. */
const directive = (given: Parameters<typeof say>[0]): string => say(given)[0]?.content as string;

it('openai: answers a text with its usage, whole and with the stream helper', async () => {
  const whole = await openai.responses.create({ model: 'sim/fast', input: 'hello' });
  assert.match(whole.output_text, /x15/);
  assert.is(whole.usage?.output_tokens, 16);
  assert.is(whole.status, 'completed');
  const stream = openai.responses.stream({ model: 'sim/fast', input: 'hello' });
  let text = '';
  stream.on('response.output_text.delta', ({ delta }) => {
    text += delta;
  });
  const last = await stream.finalResponse();
  assert.is(last.output_text, text);
  assert.match(text, /x1 x2 .*x15/);
  assert.ok(((last.usage as { cost?: number } | null)?.cost ?? 0) > 0);
});

it('openai: a conversation with tools and reasoning goes on with the items of the answer', async () => {
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Weather?' }];
  const ask = { model: 'sim/tools', tools: [WEATHER], store: false };
  const first = await openai.responses.stream({ ...ask, input }).finalResponse();
  const [call] = first.output.filter((item) => item.type === 'function_call');
  assert.equal(JSON.parse(call?.arguments ?? 'null'), { city: 'x' });
  const result = { type: 'function_call_output' as const, call_id: call?.call_id as string, output: '4' };
  const second = await openai.responses.create({
    ...ask,
    input: [...input, ...(first.output as OpenAI.Responses.ResponseInput), result],
  });
  assert.match(second.output_text, /\S/);
  const thought = await openai.responses.create({ model: 'sim/thinker', input: 'hello' });
  const [reasoning] = thought.output.filter((item) => item.type === 'reasoning');
  assert.match(reasoning?.summary[0]?.text ?? '', /\S/);
  const again = [...(thought.output as OpenAI.Responses.ResponseInput), { role: 'user' as const, content: 'And?' }];
  assert.is((await openai.responses.create({ model: 'sim/thinker', input: again })).status, 'completed');
});

it('openai: a function of a namespace is called by its own name, whole and streamed, and its result goes on', async () => {
  const { name, description, parameters } = WEATHER;
  const tools = [
    {
      ...{ type: 'namespace' as const, name: 'sky', description: 'The sky.' },
      tools: [{ type: 'function' as const, name, description, parameters }],
    },
  ];
  const input = directive({ tool_calls: [{ name: 'sky__weather', arguments: '{"city":"Oslo"}' }] });
  const request = { model: 'sim/tools', tools, input };
  const whole = await openai.responses.create(request);
  const streamed = await openai.responses.stream(request).finalResponse();
  for (const { output } of [whole, streamed]) {
    const [call] = output;
    assert.ok(call?.type === 'function_call', JSON.stringify(output));
    if (call?.type !== 'function_call') continue;
    assert.equal([call.namespace, call.name, call.arguments], ['sky', 'weather', '{"city":"Oslo"}']);
    const result = { type: 'function_call_output' as const, call_id: call.call_id, output: '4 degrees' };
    const next = await openai.responses.create({
      ...{ model: 'sim/tools', tools },
      input: [{ role: 'user', content: 'hello' }, ...output, result] as OpenAI.Responses.ResponseInput,
    });
    assert.is(next.status, 'completed');
    const last = cluster.simulators
      .flatMap(({ calls }) => calls)
      .filter(({ body }) => /4 degrees/.test(JSON.stringify(body)));
    assert.match(JSON.stringify(last.at(-1)?.body), /"tool_calls":\[\{[^\]]*"name":"sky__weather"/);
  }
});

it('openai: the parse helper receives an object of its schema', async () => {
  const schema = z.object({ city: z.string(), celsius: z.number() });
  const { output_parsed } = await openai.responses.parse({
    ...{ model: 'sim/structured', input: 'Weather?' },
    text: { format: zodTextFormat(schema, 'weather') },
  });
  assert.ok(schema.safeParse(output_parsed).success);
});

it('openai: a picture, a document by id and a picture by id reach the model', async () => {
  const file = await openai.files.create({
    file: new File([Buffer.from(PIXEL, 'base64')], 'a.png', { type: 'image/png' }),
    purpose: 'user_data',
  });
  const { output_text: seen } = await openai.responses.create({
    model: 'sim/vision',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' },
          { type: 'input_image', file_id: file.id, detail: 'auto' },
        ],
      },
    ],
  });
  assert.match(seen, /image.*image/s);
  const missing = { type: 'input_file' as const, file_id: `file_${'0'.repeat(32)}` };
  const error = await openai.responses
    .create({ model: 'sim/vision', input: [{ role: 'user', content: [missing] }] })
    .catch((thrown) => thrown);
  assert.is(error.status, 404);
  assert.match(error.message, /input\[0\]\.content\[0\]\.file_id/);
});

it('openai: refusals have their status, before the stream with a null code, after it as an error', async () => {
  for (const stream of [false, true]) {
    const ask = { model: 'no/such', input: 'hello', stream } as OpenAI.Responses.ResponseCreateParams;
    const error = await openai.responses.create(ask).catch((thrown) => thrown);
    assert.is(error.status, 404);
    assert.is(error.code, stream ? null : 404);
  }
  const broken = await openai.responses.create({
    ...{ model: 'sim/fast', stream: true as const },
    input: directive({ tokens: 20, cut_after: 4 }),
  });
  const thrown = await (async () => {
    for await (const _ of broken);
  })().catch((error) => error);
  assert.instance(thrown, Error);
});

it('openai: an answer that reached its ceiling is incomplete (rule I90)', async () => {
  const cut = await openai.responses.create({
    ...{ model: 'sim/fast', max_output_tokens: 20 },
    input: directive({ tokens: 400, finish: 'length' }),
  });
  assert.equal([cut.status, cut.incomplete_details?.reason], ['incomplete', 'max_output_tokens']);
});

const model = (id: string, apiKey = funded.key): LanguageModel => createOpenAI({ apiKey, baseURL }).responses(id);
const weather = tool({
  description: 'Returns the weather',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 4 }),
});
/** References to stored items are this client's default; nothing is stored here. */
const providerOptions = { openai: { store: false } };

it('AI SDK: answers and streams text with its usage', async () => {
  const { text, usage, finishReason } = await generateText({ model: model('sim/fast'), prompt: 'hello' });
  assert.match(text, /x15/);
  assert.equal([finishReason, usage.outputTokens], ['stop', 16]);
  const streamed = streamText({ model: model('sim/fast'), prompt: 'hello' });
  let said = '';
  for await (const piece of streamed.textStream) said += piece;
  assert.match(said, /x1 x2 .*x15/);
  assert.equal([await streamed.finishReason, (await streamed.usage).outputTokens], ['stop', 16]);
});

it('AI SDK: runs a tool and continues with its result, whole and streamed', async () => {
  const ask = {
    ...{ model: model('sim/tools'), prompt: 'Weather?', providerOptions },
    ...{ tools: { weather }, stopWhen: stepCountIs(3) },
  };
  const whole = await generateText(ask);
  assert.equal(
    whole.steps.map(({ finishReason }) => finishReason),
    ['tool-calls', 'stop'],
  );
  const streamed = streamText(ask);
  await streamed.consumeStream();
  assert.equal((await streamed.steps)[0]?.toolCalls[0]?.input, { city: 'x' });
  assert.is((await streamed.steps).length, 2);
});

it('AI SDK: shows reasoning, requests an object, sends an image, and reports failures', async () => {
  const request = { model: model('sim/thinker'), prompt: 'hello', providerOptions };
  assert.match((await generateText(request)).reasoningText ?? '', /\S/);
  let reasoning = '';
  for await (const part of streamText(request).fullStream) if (part.type === 'reasoning-delta') reasoning += part.text;
  assert.match(reasoning, /\S/);
  const schema = z.object({ city: z.string(), celsius: z.number() });
  const { output } = await generateText({
    ...{ model: model('sim/structured'), prompt: 'Weather?', output: Output.object({ schema }) },
  });
  assert.ok(schema.safeParse(output).success);
  const image = { type: 'image' as const, image: Buffer.from(PIXEL, 'base64'), mediaType: 'image/png' };
  const seen = await generateText({ model: model('sim/vision'), messages: [{ role: 'user', content: [image] }] });
  assert.match(seen.text, /image/);
  const error = await generateText({ model: model('no/such'), prompt: 'x', maxRetries: 0 }).then(
    () => null,
    (thrown) => thrown,
  );
  assert.ok(APICallError.isInstance(error));
  assert.is((error as APICallError).statusCode, 404);
  const errors: unknown[] = [];
  const broken = streamText({
    ...{ model: model('sim/fast'), prompt: directive({ tokens: 20, cut_after: 4 }), maxRetries: 0 },
    onError: ({ error: inBand }) => void errors.push(inBand),
  });
  await broken.consumeStream();
  assert.ok(errors.length >= 1);
});

it('agents SDK: runs an agent with a tool, whole and streamed', async () => {
  const agent = new Agent({
    name: 'Forecaster',
    instructions: 'Use the tool.',
    model: new OpenAIResponsesModel(openai as never, 'sim/tools'),
    tools: [
      agentTool({
        name: 'weather',
        description: 'Returns the weather',
        parameters: z.object({ city: z.string() }),
        execute: async ({ city }) => `4 degrees in ${city}`,
      }),
    ],
  });
  const whole = await run(agent, 'Weather?');
  assert.match(whole.finalOutput ?? '', /\S/);
  assert.ok(whole.newItems.some(({ type }) => type === 'tool_call_output_item'));
  const streamed = await run(agent, 'Weather?', { stream: true });
  let text = '';
  for await (const piece of streamed.toTextStream()) text += piece;
  await streamed.completed;
  assert.is(text, streamed.finalOutput);
});

it('LangChain: answers, streams, calls a tool and continues, and requests an object', async () => {
  const chat = (id: string): ChatOpenAI =>
    new ChatOpenAI({
      ...{ model: id, apiKey: funded.key, configuration: { baseURL }, useResponsesApi: true },
      ...{ maxRetries: 0, zdrEnabled: true },
    });
  const whole = await chat('sim/fast').invoke('hello');
  assert.match(whole.text, /x15/);
  assert.is((whole.usage_metadata as { output_tokens?: number } | undefined)?.output_tokens, 16);
  let said = '';
  for await (const chunk of await chat('sim/fast').stream('hello')) said += chunk.text;
  assert.match(said, /x1 x2 .*x15/);
  const called = langTool(async ({ city }: { city: string }) => `4 degrees in ${city}`, {
    name: 'weather',
    description: 'Returns the weather',
    schema: z.object({ city: z.string() }),
  });
  const bound = chat('sim/tools').bindTools([called]);
  const first = await bound.invoke('Weather?');
  const [call] = first.tool_calls ?? [];
  assert.equal(call?.args, { city: 'x' });
  const result = await called.invoke({ ...call, type: 'tool_call' } as never);
  const last = await bound.invoke([{ role: 'user', content: 'Weather?' }, first, result as never]);
  assert.match(last.text, /\S/);
  const schema = z.object({ city: z.string(), celsius: z.number() });
  const made = await chat('sim/structured').withStructuredOutput(schema, { method: 'jsonSchema' }).invoke('Weather?');
  assert.ok(schema.safeParse(made).success);
});

test.run();
