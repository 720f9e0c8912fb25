import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { cluster, funded, send } = await openApi(test, openCluster, '100');
const client = new OpenAI({ apiKey: funded.key, baseURL: cluster.baseUrls[0] as string, maxRetries: 0 });

const PROMPT = '@sim {"text":"one two three"}';

it('a whole text completion through the OpenAI SDK, with usage and cost (rule I63)', async () => {
  const { data, response } = await client.completions.create({ model: 'sim/fast', prompt: PROMPT }).withResponse();
  assert.is(data.object, 'text_completion');
  assert.is(data.choices[0]?.text, 'one two three');
  assert.is(data.choices[0]?.finish_reason, 'stop');
  assert.is(data.id, response.headers.get('x-generation-id'));
  assert.ok(response.headers.get('x-provider-name'));
  assert.is(response.headers.get('request-id'), data.id);
  assert.ok(((data.usage as unknown as { cost: number }).cost ?? 0) > 0);
});

it('a streamed completion concatenates to the same text after its echo, and ends with usage and honoured (rule I65)', async () => {
  const stream = await client.completions.create({ model: 'sim/fast', prompt: PROMPT, stream: true, echo: true });
  let text = '';
  let last: unknown;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.text ?? '';
    last = chunk;
  }
  assert.is(text, `${PROMPT}one two three`);
  const { choices, usage, honoured } = last as { choices: unknown[]; usage: { cost: number }; honoured: object };
  assert.equal(choices, []);
  assert.ok(usage.cost > 0);
  assert.equal(honoured, {});
});

it('is refused in the standard envelope, naming the member', async () => {
  const answer = await send('/completions', { body: { model: 'sim/fast' } });
  assert.is(answer.status, 400);
  const { error } = (await answer.json()) as { error: { code: number; message: string } };
  assert.is(error.code, 400);
  assert.match(error.message, /prompt/);
});

test.run();
