/** What a provider refused, from its answer to the caller, to the record of the generation and to the operator. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openAccounts } from '../chaos/bank.ts';
import { answer } from '../gateway/operator/cli/command.ts';
import { bounded } from '../support/bounded.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { type ScriptedProvider, startScriptedProvider } from '../support/provider/scripted-provider.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';

const it = bounded(test, 120_000);

const PROMPT = 'zanzibar: the words of a caller that nobody else may read';
const PROVIDER_KEY = 'zanzibar-provider-key';

/** An OpenAI-like refusal of a tool schema that quotes the prompt and the operator's key. */
const REFUSAL = {
  error: {
    message: `Invalid schema for function 'f' after "${PROMPT}", key ${PROVIDER_KEY}`,
    type: 'invalid_request_error',
    param: 'tools[0].function.parameters',
    code: 'invalid_function_parameters',
  },
};

let provider: ScriptedProvider;
let cluster: LaunchedCluster;
let key: string;

test.before(async () => {
  provider = await startScriptedProvider();
  cluster = await LaunchedCluster.start(
    {
      nodes: [{ name: 'n1', grpc: '127.0.0.1:0', operator: '127.0.0.1:0' }],
      providers: [{ ...simulatedProvider('sim-a', provider.baseUrl), apiKeyEnv: 'ZANZIBAR_KEY' }],
    },
    { env: { ZANZIBAR_KEY: PROVIDER_KEY } },
  );
  key = (await openAccounts(cluster, 1, '10'))[0]?.key ?? '';
});
test.after(async () => {
  await cluster.stop();
  await provider.close();
});

async function ask(): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }> {
  const reply = await fetch(`${cluster.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/fast',
      messages: [{ role: 'user', content: PROMPT }],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    }),
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

interface Noted {
  readonly text: string;
  readonly code: string;
  readonly status: number | null;
  readonly generation: string;
}
const listed = () => answer<readonly Noted[]>(['refusals', 'list', 'sim-a', '--data', cluster.data]);

function filesWith(text: string, folder = cluster.data): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesWith(text, path);
    return readFileSync(path).includes(text) ? [path] : [];
  });
}

it('a refused tool schema is the 400 of its caller, with code and path and without a word of the provider (rule I138)', async () => {
  provider.answer = ({ response }) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(REFUSAL));
  };
  const { status, headers, text } = await ask();
  assert.is(status, 400);
  assert.is(headers.get('x-should-retry'), 'false');
  const { error } = JSON.parse(text) as { error: { message: string; metadata: Record<string, unknown> } };
  const { error_type, provider_code, param } = error.metadata;
  assert.equal(
    [error_type, provider_code, param],
    ['invalid_request', 'invalid_schema', 'tools[0].function.parameters'],
  );
  assert.match(error.message, /tools\[0\]\.function\.parameters/);
  assert.not.match(text, /zanzibar/);

  const record = await fetch(`${cluster.baseUrl}/generation?id=${headers.get('x-generation-id')}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { data } = (await record.json()) as { data: { provider_responses: readonly { reason: string }[] } };
  assert.equal(
    data.provider_responses.map(({ reason }) => reason),
    ['invalid_schema'],
  );
  assert.equal(await listed(), [], 'nothing is recorded unless an operator asks for it');
});

it('the operator records raw refusals for a time: redacted, and gone when the recording is ended', async () => {
  const arguments_ = ['--data', cluster.data];
  const { until } = await answer<{ until: number }>(['refusals', 'record', 'sim-a', '--minutes', '5', ...arguments_]);
  assert.ok(until > 0);
  // The board carries the recording to the node, so the first refusals may come too early.
  let noted: readonly Noted[] = [];
  while (noted.length === 0) {
    await ask();
    noted = await listed();
  }
  const [{ text, code, status, generation }] = noted as [Noted];
  assert.equal([code, status], ['invalid_schema', 400]);
  assert.match(generation, /^gen-/);
  assert.match(text, /^\{"error":\{"message":"Invalid schema for function 'f' after \\?"?\[request\]/);
  assert.match(text, /"param":"tools\[0\]\.function\.parameters"/);
  assert.not.match(text, /zanzibar/);
  assert.equal(filesWith(PROMPT), []);
  assert.equal(filesWith(PROVIDER_KEY), []);

  const ended = await answer(['refusals', 'record', 'sim-a', '--minutes', '0', ...arguments_]);
  assert.equal(ended, { provider: 'sim-a', until: null });
  assert.equal(await listed(), []);
});

test.run();
