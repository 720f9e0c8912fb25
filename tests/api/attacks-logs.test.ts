import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Simulator, startSimulator } from '../../gateway/simulator/simulator.ts';
import { openAccounts } from '../chaos/bank.ts';
import { bounded } from '../support/bounded.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';

/** No file of a cluster holds a prompt, an answer or a key, for any request. (rule K3) */
const it = bounded(test, 120_000);

/** The request log, one line per request, with the exact charge and without anything that the client wrote. */
function requestLines(statuses: readonly number[], key: string): void {
  const text = readFileSync(join(cluster.data, 'logs', 'n1.log'), 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line))
    .filter(({ route }) => /^POST \/api\/v1\/(chat\/)?completions$/.test(route ?? ''));
  assert.equal(
    lines.slice(0, statuses.length).map(({ status }) => status),
    statuses,
  );
  const [first, streamed] = lines;
  assert.match(first.time, /^\d{4}-\d\d-\d\dT/);
  assert.match(first.generation, /^gen-/);
  assert.ok(key.startsWith(first.label.slice(0, 9)) && first.label !== key, first.label);
  assert.match(first.key, /^key:acct_/);
  for (const line of [first, streamed]) {
    assert.equal([line.model, line.provider, line.reason], ['sim/fast', 'Sim A', null]);
    assert.match(line.endpoint, /^ep_/);
    assert.ok(line.promptTokens > 0 && line.completionTokens > 0 && line.ms >= 0);
    const tokens = [`${line.promptTokens}`, `${line.completionTokens}`];
    // 0.0000005 and 0.0000015 USD, in units of 0.0000001.
    const units = BigInt(tokens[0] as string) * 5n + BigInt(tokens[1] as string) * 15n;
    assert.is(line.cost.replace(/^0\.0*/, ''), String(units).replace(/0+$/, ''));
  }
  const stranger = lines[statuses.length - 1];
  assert.equal([stranger.status, stranger.key, stranger.label, stranger.reason], [401, null, null, 'authentication']);
  for (const { status, reason } of lines) if (status >= 400) assert.match(reason, /^[a-z_]+$/);
  const gone = lines.at(-1);
  assert.equal([gone.status, gone.reason, gone.model], [499, 'caller_left', 'sim/slow']);
  assert.ok(gone.cost !== null);
}

/** What an operator reads of a request that the provider failed: where it was sent, and why it ended. */
function refusalLine(): void {
  const log = readFileSync(join(cluster.data, 'logs', 'n1.log'), 'utf8')
    .trim()
    .split('\n');
  const entries = log.map((line) => JSON.parse(line) as Record<string, string>);
  const refused = entries.find(({ msg, status }) => msg === 'a request was refused' && String(status) === '502');
  assert.ok(refused, 'the edge logs a request that no provider served');
  assert.equal([refused.level, refused.model, refused.provider], ['warn', 'sim/fast', 'sim-a']);
  assert.match(String(refused.time), /^\d{4}-\d\d-\d\dT/);
  assert.match(String(refused.endpoint), /^ep_/);
  assert.match(String(refused.reason), /^[a-z_-]+$/);
  assert.match(String(refused.generation), /^gen-/);
}

const PROMPT = 'zanzibar-prompt';
const ANSWER = 'zanzibar-answer';
const PROVIDER_KEY = 'zanzibar-provider-key';

let simulator: Simulator;
let cluster: LaunchedCluster;

test.before(async () => {
  simulator = await startSimulator({ name: 'sim-a', keep: true });
  cluster = await LaunchedCluster.start(
    {
      nodes: [{ name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }],
      edge: { requestLog: true },
      providers: [{ ...simulatedProvider('sim-a', simulator.baseUrl), apiKeyEnv: 'ZANZIBAR_KEY' }],
    },
    { env: { ZANZIBAR_KEY: PROVIDER_KEY } },
  );
});
test.after(async () => {
  await cluster.stop();
  await simulator.close();
});

function* files(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else yield path;
  }
}

async function ask(key: string, directive: object, more: object = {}, route = '/chat/completions'): Promise<number> {
  const content = `${PROMPT} @sim ${JSON.stringify({ text: ANSWER, ...directive })}`;
  const members = route === '/completions' ? { prompt: content } : { messages: [{ role: 'user', content }] };
  const answer = await fetch(`${cluster.baseUrl}${route}?q=${PROMPT}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sim/fast', ...members, ...more }),
  });
  await answer.text().catch(() => '');
  return answer.status;
}

it('keeps prompts, answers, keys and webhook secrets out of every log, row and file, for every end of a request (rule K3)', async () => {
  const key = (await openAccounts(cluster, 1, '10'))[0]?.key ?? '';
  const stranger = `sk-gw-v1-${'abc0'.repeat(16)}`;
  const statuses = [
    await ask(key, {}),
    await ask(key, { tps: 50 }, { stream: true }),
    await ask(key, {}, {}, '/completions'),
    await ask(key, { tool_calls: [{ name: 'f', arguments: `{"a":"${ANSWER}"}` }] }),
    await ask(key, { status: 500 }),
    await ask(key, { garbage: 'error-frame' }, { stream: true }),
    await ask(key, { garbage: 'json' }),
    await ask(key, { cut_after: 0 }, { stream: true }),
    await ask(key, {}, { temperature: PROMPT }),
    await ask(key, {}, { model: PROMPT }),
    await ask(key, {}, { provider: { only: [PROMPT] } }),
    await ask(stranger, {}),
  ];
  assert.equal(statuses.slice(0, 3), [200, 200, 200]);
  assert.is(statuses.at(-1), 401);
  // The provider receives its key and the prompt, so the markers are effective.
  const [call] = simulator.calls;
  assert.match(JSON.stringify(call?.body), PROMPT);
  assert.match(String(call?.headers.authorization), PROVIDER_KEY);
  const rotated = await fetch(`${cluster.baseUrl}/webhooks/secret/rotate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  const { secret: signing } = (await rotated.json()) as { secret: string };
  assert.match(signing, /^whsec_[0-9a-f]{64}$/);
  const left = new AbortController();
  const leaving = fetch(`${cluster.baseUrl}/chat/completions`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } },
    signal: left.signal,
    body: JSON.stringify({ model: 'sim/slow', stream: true, messages: [{ role: 'user', content: PROMPT }] }),
  });
  await (await leaving).body?.getReader().read();
  left.abort();
  await cluster.stop(true);
  requestLines(statuses, key);
  refusalLine();
  const secrets = [
    signing.slice('whsec_'.length),
    PROMPT,
    ANSWER,
    PROVIDER_KEY,
    key,
    stranger,
    key.slice('sk-gw-v1-'.length),
  ];
  const looked: string[] = [];
  for (const path of files(cluster.data)) {
    const bytes = readFileSync(path);
    looked.push(path.slice(cluster.data.length));
    for (const secret of secrets) assert.not.ok(bytes.includes(secret), `${path}: ${secret}`);
  }
  assert.ok(looked.some((path) => path.endsWith('n1.log')) && looked.includes('/troupe.db'), looked.join());
});

test.run();
