/** What an operator sees of a provider that fails: its model list, its connections, its own words; and who still serves. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openAccounts } from '../chaos/bank.ts';
import { answer, troupe } from '../gateway/operator/cli/command.ts';
import { bounded } from '../support/bounded.ts';
import { freePort, LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { type ScriptedProvider, startScriptedProvider } from '../support/provider/scripted-provider.ts';
import { modelsDocument, simulatedProvider } from '../support/provider/simulated-provider.ts';

const it = bounded(test, 120_000);

const MODEL = 'sim/fast';
const PROMPT = 'zanzibar tells a secret to its xylophone';
const PROVIDER_KEY = 'quagga-provider-key';
const REPLY = {
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: MODEL },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
};

interface Shown {
  readonly provider: string;
  readonly health: string;
  readonly lastFailure: { readonly category: string; readonly message: string; readonly at: number } | null;
  readonly reason: string;
}

let provider: ScriptedProvider;
let cluster: LaunchedCluster;
let key: string;
let account: string;
let closedPort: number;

function declared(slug: string, baseUrl: string) {
  const models = modelsDocument(slug)?.data.filter(({ id }) => id === MODEL) ?? [];
  return { ...simulatedProvider(slug, baseUrl), models: { data: models } };
}

test.before(async () => {
  provider = await startScriptedProvider();
  closedPort = await freePort();
  cluster = await LaunchedCluster.start(
    {
      nodes: [{ name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }],
      providers: [
        { ...declared('sim-a', provider.baseUrl), apiKeyEnv: 'QUAGGA_KEY' },
        declared('sim-b', `http://127.0.0.1:${closedPort}/v1`),
      ],
      upstream: { probeEveryMs: 300, probeTimeoutMs: 200 },
    },
    { env: { QUAGGA_KEY: PROVIDER_KEY } },
  );
  const [opened] = await openAccounts(cluster, 1, '10');
  key = opened?.key ?? '';
  account = opened?.account ?? '';
});
test.after(async () => {
  await cluster.stop();
  await provider.close();
});

async function ask(only: string): Promise<number> {
  const reply = await fetch(`${cluster.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: PROMPT }], provider: { only: [only] } }),
  });
  await reply.text();
  return reply.status;
}

const at = (): readonly string[] => ['--data', cluster.data];
async function told(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await troupe([...args, ...at()]).ended;
  assert.is(code, 0, err);
  return out;
}
async function shown(slug: string, isSo: (one: Shown) => boolean): Promise<Shown> {
  for (;;) {
    const [one] = await answer<readonly Shown[]>(['endpoints', 'list', '--provider', slug, ...at()]);
    if (one !== undefined && isSo(one)) return one;
  }
}
function filesWith(text: string, folder = cluster.data): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesWith(text, path);
    return readFileSync(path).includes(text) ? [path] : [];
  });
}

it('a provider that answers 20 of 20 while its model list times out serves, and the failing list is shown', async () => {
  // A probe has no body; it is never answered.
  provider.answer = ({ body, response }) => {
    if (Object.keys(body).length === 0) return;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(REPLY));
  };
  for (let n = 0; n < 20; n++) assert.is(await ask('sim-a'), 200);
  const ATTEMPTS = /^20 of its newest 20 attempts succeeded/;
  const one = await shown('sim-a', ({ reason }) => ATTEMPTS.test(reason));
  assert.is(one.health, 'healthy');
  assert.is(await ask('sim-a'), 200);
  const LIST = /failed \d+ times in a row since \d{4}-\S+Z, last at \d{4}-\S+Z: no answer within 200 ms/;
  assert.match(await told('providers', 'list'), /\nsim-a +Sim A .* 1 of 1 serve/);
  const why = await told('why', 'provider:sim-a');
  assert.match(why, /\n1 of 1 serve\.\n/);
  assert.match(why, new RegExp(`\\nIts model list ${LIST.source}\\.\\n`));
});

it('an outage says what it consists of, on the endpoint, the provider and the refused request', async () => {
  const REFUSED = `connection refused \\(connect ECONNREFUSED 127\\.0\\.0\\.1:${closedPort}\\)`;
  const down = await shown('sim-b', ({ health }) => health === 'down');
  assert.match(down.reason, new RegExp(`^Its provider's model list failed .*: ${REFUSED}; 2 in a row`));
  assert.is(await ask('sim-b'), 502);
  const failed = await shown('sim-b', ({ lastFailure }) => lastFailure !== null);
  assert.is(failed.lastFailure?.category, 'unavailable');
  assert.match(failed.lastFailure?.message ?? '', new RegExp(`^${REFUSED}$`));
  assert.match(await told('endpoints', 'list', '--provider', 'sim-b'), new RegExp(`Z unavailable, ${REFUSED}\\n`));
  assert.match(
    await told('providers', 'list'),
    new RegExp(`\\nsim-b .* 0 of 1 serve.*${REFUSED}.*Z unavailable, ${REFUSED}`),
  );
  assert.match(await told('why', 'provider:sim-b'), new RegExp(`\\n0 of 1 serve: ${REFUSED} since \\S+Z\\.\\n`));
  let refused = '';
  while (!refused.includes('sim-b')) refused = await told('accounts', 'refused', account);
  assert.match(refused, new RegExp(` 502 .* sim-b \\(ep_\\w+\\): unavailable, ${REFUSED}\\n`));
});

it('the words of a provider are shown without the prompt and the key, and stand in no file with them', async () => {
  const message = `The server is overloaded near "${PROMPT.slice(0, 20)}" for ${PROVIDER_KEY}`;
  provider.answer = ({ response }) => {
    response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
  };
  assert.is(await ask('sim-a'), 503);
  const one = await shown('sim-a', ({ lastFailure }) => lastFailure !== null);
  assert.is(one.lastFailure?.category, 'overloaded');
  assert.is(one.lastFailure?.message, 'status 503: The server is overloaded near "[request] a [request]" for [key]');
  const words = ['zanzibar', 'tells', 'quagga'];
  for (const word of words) assert.equal(filesWith(word), [], word);
});

test.run();
