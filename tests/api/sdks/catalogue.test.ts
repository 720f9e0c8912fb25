import { OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** The whole demo: four providers, one of which uses the messages dialect, each behaving as its document declares. */
const it = bounded(test);
const { funded, base, send } = await openApi(test, openCluster);
const openai = new OpenAI({ apiKey: funded.key, baseURL: base, maxRetries: 0 });
const openrouter = new OpenRouter({ apiKey: funded.key, serverURL: base, retryConfig: { strategy: 'none' } });

type Members = Record<string, unknown>;
const hello = (model: string, members: object = {}): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
  model,
  messages: [{ role: 'user', content: 'hello' }],
  ...members,
});

it('lists models that both SDKs parse, each with its declarations', async () => {
  const page = await openai.models.list();
  const ids = page.data.map(({ id }) => id);
  assert.ok(new Set(ids).size >= 8);
  const { result: models } = await openrouter.models.list();
  const thinker = models.data.find(({ id }) => id === 'sim/thinker');
  assert.equal(thinker?.reasoning?.supportedEfforts?.includes('none'), true);
  const tiered = models.data.find(({ id }) => id === 'sim/tiered');
  assert.is(tiered?.pricing.overrides?.length, 4);
  assert.is(tiered?.defaultParameters?.temperature, 0.7);
  assert.equal(models.data.find(({ id }) => id === 'sim/speaker')?.supportedVoices, ['alto', 'bass', 'tenor']);
  assert.is((await openai.models.retrieve('sim/painter')).id, 'sim/painter');
});

it('serves the JSON Schema of a models document', async () => {
  const response = await send('/models/document.schema.json', { key: null });
  assert.is(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^application\/schema\+json/);
  assert.is(((await response.json()) as Members).title, 'Models document');
});

it('filters by declared members', async () => {
  const ids = async (query: string): Promise<readonly string[]> => {
    const { data } = (await (await send(`/models?${query}`, { key: null })).json()) as {
      data: { id: string }[];
    };
    return data.map(({ id }) => id).sort();
  };
  assert.equal(await ids('output_modalities=image'), ['sim/painter']);
  assert.equal(await ids('input_modalities=image,text'), ['sim/painter', 'sim/scribe', 'sim/vision']);
  assert.equal(await ids('supported_parameters=structured_outputs'), ['sim/structured']);
  const vetted = await ids('zdr=true');
  assert.ok(vetted.includes('sim/thinker') && !vetted.includes('sim/fast'));
  assert.equal(await ids('zdr=false'), await ids(''));
  assert.is((await send('/models?zdr=yes', { key: null })).status, 400);
});

it('each demo model behaves through the gateway as its document declares', async () => {
  const message = async (model: string, members: object = {}): Promise<Members> => {
    const { choices } = await openai.chat.completions.create(hello(model, members));
    return choices[0]?.message as unknown as Members;
  };
  const format = {
    type: 'json_schema',
    json_schema: { name: 'a', schema: { properties: { b: { type: 'integer' } } } },
  };
  assert.is((await message('sim/structured', { response_format: format })).content, '{"b":1}');
  const drawn = await message('sim/painter', { modalities: ['image', 'text'], image_config: { size: '64x64' } });
  assert.is((drawn.images as unknown[]).length, 1);
  const spoken = await message('sim/speaker', {
    modalities: ['text', 'audio'],
    audio: { voice: 'bass', format: 'wav' },
  });
  assert.match(String((spoken.audio as Members).transcript), /x1/);
  assert.match(String((await message('sim/thinker', { reasoning_effort: 'low' })).reasoning), /^r1 /);
  assert.match(String((await message('sim/tiered')).content), /x15/);
  assert.match(String((await message('sim/scribe')).content), /^sim-d:\d+ x1 /);
});

test.run();
