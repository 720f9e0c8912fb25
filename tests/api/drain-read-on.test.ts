import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Generation } from '../../actors/terms/hold.ts';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { startScriptedProvider } from '../support/provider/scripted-provider.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';

const it = bounded(test, 90_000);
/** Longer than an abandoned answer is read after the grace. */
const UNREPORTED_MS = 2_500;

it('a drain reads an answer on for its usage, within its grace, after the client left (rule K71)', async () => {
  const provider = await startScriptedProvider();
  const opened: ServerResponse[] = [];
  provider.answer = ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(frame({ choices: [{ delta: { content: 'first' } }] }));
    opened.push(response);
  };
  const cluster = await startCluster({
    ...{ nodes: 2, simulators: [], edge: { drainGraceMs: 60_000 } },
    providers: [{ ...simulatedProvider('sim-b', provider.baseUrl), slug: 'scripted', name: 'Scripted' }],
  });
  const [leaving, staying] = cluster.nodes as [(typeof cluster.nodes)[0], (typeof cluster.nodes)[0]];
  const { key, account } = await cluster.fund('10');

  const client = new AbortController();
  const answer = await fetch(`${cluster.baseUrls[0]}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/fast', stream: true, messages: [{ role: 'user', content: 'hello' }] }),
    signal: client.signal,
  });
  const generation = answer.headers.get('x-generation-id') as string;
  await answer.body?.getReader().read();
  client.abort();
  while (leaving.gauges.connections > 0) await new Promise((resolve) => setTimeout(resolve, 10));

  const drained = leaving.drain();
  await new Promise((resolve) => setTimeout(resolve, UNREPORTED_MS));
  opened[0]?.write(frame({ choices: [{ delta: {}, finish_reason: 'stop' }] }));
  opened[0]?.write(frame({ choices: [], usage: { prompt_tokens: 8, completion_tokens: 321 } }));
  opened[0]?.end('data: [DONE]\n\n');
  await drained;

  const stored = await staying.cluster.rows.row(account, 'generation', generation);
  const row = stored && (JSON.parse(stored.body) as Generation);
  assert.is(row?.status, 'settled');
  assert.is(row?.settlement?.completionTokens, 321);
  assert.is(row?.settlement?.estimated, false);
  await cluster.close();
  await provider.close();
});

function frame(body: object): string {
  return `data: ${JSON.stringify(body)}\n\n`;
}

test.run();
