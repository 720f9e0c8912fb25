import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** LangChain's model of the messages dialect, unchanged. */
const it = bounded(test);

const { cluster, funded } = await openApi(test, openCluster);

function model(id: string): ChatAnthropic {
  const anthropicApiUrl = (cluster.baseUrls[0] as string).replace(/\/v1$/, '');
  return new ChatAnthropic({ model: id, apiKey: funded.key, anthropicApiUrl, maxTokens: 200, maxRetries: 0 });
}

function outputOf({ usage_metadata }: { readonly usage_metadata?: unknown }): number | undefined {
  return (usage_metadata as { output_tokens?: number } | undefined)?.output_tokens;
}

const weather = tool(async ({ city }: { city: string }) => `4 degrees in ${city}`, {
  name: 'weather',
  description: 'Returns the weather',
  schema: z.object({ city: z.string() }),
});

it('answers and streams text with its usage', async () => {
  const prompt = [new SystemMessage('Be brief.'), new HumanMessage('hello')];
  const whole = await model('sim/fast').invoke(prompt);
  assert.match(String(whole.content), /x15/);
  assert.is(outputOf(whole), 16);
  let text = '';
  let output = 0;
  for await (const chunk of await model('sim/fast').stream(prompt)) {
    text += String(chunk.content);
    output += outputOf(chunk) ?? 0;
  }
  assert.match(text, /x1 x2 .*x15/);
  assert.is(output, 16);
});

it('calls a tool and continues with its result', async () => {
  const bound = model('sim/tools').bindTools([weather]);
  const question = new HumanMessage('Weather?');
  const first = await bound.invoke([question]);
  const [call] = first.tool_calls ?? [];
  assert.equal([call?.name, call?.args], ['weather', { city: 'x' }]);
  const content = String(await weather.invoke(call?.args as { city: string }));
  const result = new ToolMessage({ content, tool_call_id: call?.id ?? '' });
  const next = await bound.invoke([question, first, result]);
  assert.equal(next.tool_calls, []);
  assert.ok(String(next.content).length > 0);
});

it('a refusal is an error with the status and the message', async () => {
  const error = await model('no/such')
    .invoke('hello')
    .then(
      () => null,
      (thrown: unknown) => thrown as { status: number; message: string },
    );
  assert.is(error?.status, 404);
  assert.match(error?.message ?? '', /no\/such/);
});

test.run();
