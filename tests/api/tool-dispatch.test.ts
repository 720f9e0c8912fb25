import OpenAI from 'openai';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDPOINTS_TOPIC } from '../../actors/endpoint/endpoint.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { openApi } from './client.ts';

const it = bounded(test);

const { cluster, funded, send } = await openApi(
  test,
  () =>
    startCluster({
      rates: { keyPerMinute: 100_000 },
      checks: { enabled: true, lookEveryMs: 20, firstWithinMs: 100 },
    }),
  '1000',
);

const TOOLS = [
  {
    type: 'function' as const,
    function: { name: 'add', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
  },
];

function body(directive: object, dispatch: boolean): object {
  return {
    model: 'sim/tools',
    messages: [{ role: 'user', content: `@sim ${JSON.stringify(directive)}` }],
    tools: TOOLS,
    stream: true,
    ...(dispatch ? { stream_options: { include_tool_dispatch: true } } : {}),
  };
}

async function ask(directive: object, dispatch = true): Promise<Response> {
  return send('/chat/completions', { body: body(directive, dispatch) });
}

interface Announced {
  readonly choice_index: number;
  readonly tool_call: {
    readonly index: number;
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  };
}

function announcedIn(text: string): Announced[] {
  return [...text.matchAll(/event: tool_call_dispatch\ndata: (.+)\n\n/g)].map(
    (found) => JSON.parse(found[1] as string) as Announced,
  );
}

function verified(): boolean {
  const endpoints = [...(cluster.nodes[0]?.cluster.board.topic(ENDPOINTS_TOPIC).values() ?? [])];
  return endpoints.some((each) => {
    const { model, evidence } = each as unknown as Endpoint;
    return model === 'sim/tools' && evidence.dispatchVerified;
  });
}

it('after a passed check, calls are announced whole in addition to their fragments (rule I67)', async () => {
  const calls = [
    { name: 'add', arguments: '{"a":1,"b":[2,3]}' },
    { name: 'add', arguments: '{"a":4}' },
  ];
  while (!verified()) await new Promise((resolve) => setTimeout(resolve, 20));

  const answer = await ask({ tool_calls: calls });
  assert.is(answer.status, 200);
  const text = await answer.text();
  const announced = announcedIn(text);
  assert.equal(
    announced.map(({ choice_index, tool_call }) => [choice_index, tool_call.index, tool_call.function.arguments]),
    [
      [0, 0, '{"a":1,"b":[2,3]}'],
      [0, 1, '{"a":4}'],
    ],
  );
  const pieces = text.match(/"tool_calls":\[/g) ?? [];
  assert.ok(pieces.length > calls.length, 'ordinary fragments');
  for (const { tool_call } of announced) {
    assert.is(text.split(`"id":"${tool_call.id}"`).length, 3, 'once in a fragment, once announced');
  }
  assert.match(text, /data: \[DONE\]\n\n$/);
});

it('without the opt-in there are only standard chunks (rule I66)', async () => {
  const text = await (await ask({ tool_calls: [{ name: 'add', arguments: '{}' }] }, false)).text();
  assert.is(announcedIn(text).length, 0);
  assert.not.match(text, /^event:/m);
});

it('a failure after an announced call ends the stream without replay (rule I69)', async () => {
  const directive = {
    id: 'broken-dispatch',
    tool_calls: [
      { name: 'add', arguments: '{"a":1}' },
      { name: 'add', arguments: '{"a":2}' },
    ],
    // The frames of the first call and the start of the second, then a stall.
    cut_after: 3,
  };
  const text = await (await ask(directive)).text();
  assert.is(announcedIn(text).length, 1);
  assert.match(text, /"finish_reason":"error"/);
  const called = cluster.simulators.flatMap(({ calls }) => calls.filter(({ id }) => id === 'broken-dispatch'));
  assert.is(called.length, 1);
});

it('the OpenAI SDK receives announced calls as separate items beside the chunks', async () => {
  const client = new OpenAI({ apiKey: funded.key, baseURL: cluster.baseUrls[0] as string, maxRetries: 0 });
  const stream = (await client.chat.completions.create(
    body({ tool_calls: [{ name: 'add', arguments: '{"a":1}' }] }, true) as never,
  )) as unknown as AsyncIterable<Record<string, unknown>>;
  const items: Record<string, unknown>[] = [];
  for await (const item of stream) items.push(item);
  assert.is(items.filter((item) => 'tool_call' in item).length, 1);
  assert.ok(items.some((item) => 'usage' in item));
});

test.run();
