import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';

/** A picture of a model that two providers draw, one of which fails. (rule I132) */
const it = bounded(test);

const cluster = await startCluster({ simulators: ['aster', 'cobalt'] });
test.after(() => cluster.close());

for (const stream of [false, true]) {
  it(`${stream ? 'streamed' : 'whole'}: a provider that fails is followed by the next one, whose price is charged`, async () => {
    const { key } = await cluster.fund('5');
    const client = new OpenAI({ apiKey: key, baseURL: cluster.baseUrls[0] as string, maxRetries: 0 });
    const directive = JSON.stringify({ id: `fox-${stream}`, status: 500, only_on: 'cobalt' });
    const { data, response } = await client.images
      .generate({
        ...{ model: 'lumen/lumen-draw-1', prompt: `a red fox @sim ${directive}`, size: '512x512', stream },
        ...{ provider: { order: ['cobalt', 'aster'] } },
      } as OpenAI.ImageGenerateParams)
      .withResponse();
    const events: object[] = [];
    if (Symbol.asyncIterator in data) for await (const event of data) events.push(event);
    else events.push(data);
    const { cost } = (events.at(-1) as { usage: { cost: number } }).usage;
    const id = response.headers.get('x-generation-id');
    const answer = await fetch(`${cluster.baseUrls[0]}/generation?id=${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const generation = ((await answer.json()) as { data: Record<string, unknown> }).data;
    assert.equal(
      (generation.provider_responses as { provider_name: string; status: number }[]).map(({ status }) => status),
      [500, 500, 200],
    );
    assert.is(generation.total_cost, cost);
    assert.ok(cost > 0.262_144 * 0.03, `${cost} of aster, which is dearer`);
  });
}

test.run();
