import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { type Asked, openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

/** Names that every plain object has without having been given them. */
const NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'length'];
const PARAMETERS = [
  ...['sort', 'q', 'limit', 'offset', 'context', 'zdr', 'supported_parameters', 'input_modalities'],
  ...['output_modalities', 'model_authors', 'after', 'order', 'purpose', 'id'],
];
const FILTERS = [
  ...['family', 'providers', 'region', 'min_price', 'max_price', 'min_output_price', 'max_output_price', 'category'],
  ...['min_age_days', 'max_age_days', 'min_tool_success_rate', 'max_tool_success_rate', 'arch', 'distillable'],
];

const { ask } = await openApi(test, openCluster);

/** No look-up by a caller's word goes through what objects inherit: an unknown word is the caller's error. */
const statusOf = async (path: string, asked: Asked = {}): Promise<number> => (await ask(path, asked)).status;

it('an inherited name in a query or path is never 500', async () => {
  for (const name of NAMES) {
    for (const parameter of PARAMETERS) {
      for (const route of ['/models', '/files', '/generation']) {
        const status = await statusOf(`${route}?${parameter}=${name}&${name}=${parameter}`);
        assert.ok(status < 500, `${route}?${parameter}=${name}: ${status}`);
      }
    }
    for (const filter of FILTERS) {
      const status = await statusOf(`/models?${filter}=${name}`);
      assert.ok(status === 200 || status === 400, `/models?${filter}=${name}: ${status}`);
    }
    for (const path of [
      `/models/${name}`,
      `/models/sim/${name}/benchmarks`,
      `/models/${name}/${name}`,
      `/models/sim/${name}/endpoints`,
      `/files/${name}`,
    ]) {
      assert.is(await statusOf(path), 404, path);
    }
  }
});

it('an inherited name as model, tool choice, provider or setting is never 500', async () => {
  const messages = [{ role: 'user', content: 'hello' }];
  const chat = { model: 'sim/fast', messages };
  for (const name of NAMES) {
    const bodies: object[] = [
      { ...chat, model: name },
      { ...chat, model: `sim/fast:${name}` },
      { ...chat, models: [name] },
      { ...chat, provider: { only: [name] } },
      { ...chat, provider: { order: [name], sort: name } },
      { ...chat, provider: { options: { [name]: { [name]: name } } } },
      { ...chat, tool_choice: name },
      { ...chat, reasoning: { effort: name } },
      { ...chat, response_format: { type: name } },
      { ...chat, modalities: [name] },
      { ...chat, image_config: { size: name, [name]: 1 } },
      { ...chat, metadata: JSON.parse(`{"${name}": "a"}`) },
      { ...chat, messages: [{ role: name, content: 'a' }] },
      { ...chat, messages: [{ role: 'user', content: [{ type: name }] }] },
      JSON.parse(`{"model": "sim/fast", "messages": ${JSON.stringify(messages)}, "${name}": {"a": 1}}`),
    ];
    for (const body of bodies) {
      const status = await statusOf('/chat/completions', { method: 'POST', body: JSON.stringify(body) });
      assert.is.not(status, 500, JSON.stringify(body));
    }
  }
});

test.run();
