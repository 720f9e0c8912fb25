import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { startScriptedProvider } from '../support/provider/scripted-provider.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';
import { openApi } from './client.ts';

const it = bounded(test);
const REQUESTS_MAX = 8;

const REQUESTS = 30;
const REPLY = {
  id: 'up-1',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

/** Calls that the provider answers when the test says so. */
const waiting: ServerResponse[] = [];
const provider = await startScriptedProvider();
provider.answer = ({ response }) => void waiting.push(response);
const { cluster, send, chat } = await openApi(test, () =>
  startCluster({
    edge: { requestsMax: REQUESTS_MAX },
    simulators: [],
    providers: [simulatedProvider('sim-a', provider.baseUrl)],
  }),
);
test.after(() => provider.close());

it('sheds requests beyond the bound before money is held, and advises a retry (rule E45)', async () => {
  const { key } = await cluster.fund('100');
  const body = JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: 'hello' }] });
  let refused = 0;
  const asked = Array.from({ length: REQUESTS }, async () => {
    const answer = await send('/chat/completions', { key, body });
    if (answer.status === 503) refused += 1;
    return answer;
  });
  // No admitted request ends before every request was either admitted or shed.
  while (waiting.length + refused < REQUESTS) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.is(waiting.length, REQUESTS_MAX);
  for (const response of waiting) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(REPLY));
  }
  const answers = await Promise.all(asked);
  const shed = answers.filter(({ status }) => status === 503);
  assert.is(answers.filter(({ status }) => status === 200).length, REQUESTS_MAX);
  assert.is(shed.length, REQUESTS - REQUESTS_MAX);
  for (const answer of shed) {
    assert.is(answer.headers.get('x-should-retry'), 'true');
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(answer.headers.get('x-generation-id') ?? '', /^gen-/);
    assert.is(((await answer.json()) as { error: { code: number } }).error.code, 503);
  }
  assert.is(waiting.length, REQUESTS_MAX, 'no shed request reached the provider');
});

it('serves another account while one has every request that a node runs (rule E47)', async () => {
  const [greedy, tenant] = [await cluster.fund('100'), await cluster.fund('100')];
  waiting.length = 0;
  const ask = (key: string): Promise<Response> => chat({}, { key });
  const reached = async (count: number): Promise<void> => {
    while (waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const held: Promise<Response>[] = [];
  for (let nth = 1; nth <= REQUESTS_MAX; nth++) {
    held.push(ask(greedy.key));
    await reached(nth);
  }
  assert.is((await ask(greedy.key)).status, 503, 'its own next request is refused');
  held.push(ask(tenant.key));
  await reached(REQUESTS_MAX + 1);
  for (const response of waiting) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(REPLY));
  }
  for (const answer of held) assert.is((await answer).status, 200);
});

test.run();
