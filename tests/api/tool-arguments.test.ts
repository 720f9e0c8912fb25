import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { type ScriptedProvider, startScriptedProvider } from '../support/provider/scripted-provider.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';
import { openApi } from './client.ts';

/** Calls with large arguments, such as those of agents that write files. */
const it = bounded(test);

const provider = await startScriptedProvider();
const api = await openApi(
  test,
  () => startCluster({ simulators: [], providers: [simulatedProvider('sim-a', provider.baseUrl)] }),
  '1000',
);
test.before(() => {
  provider.answer = answerWithCall;
});
test.after(() => provider.close());

const ARGUMENTS = JSON.stringify({ path: 'a.txt', content: 'line\n'.repeat(60_000) });
const CALL = { id: 'call_1', type: 'function', function: { name: 'write_file', arguments: ARGUMENTS } };
const USAGE = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 };
const PARAMETERS = { type: 'object' };

/** The call arrives in one piece, in a stream as well. */
const answerWithCall: ScriptedProvider['answer'] = ({ stream, response }) => {
  response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
  const end = { index: 0, finish_reason: 'tool_calls' };
  if (!stream) {
    const message = { role: 'assistant', content: null, tool_calls: [CALL] };
    response.end(JSON.stringify({ id: 'up-1', choices: [{ ...end, message }], usage: USAGE }));
    return;
  }
  const frame = (chunk: object): string => `data: ${JSON.stringify({ id: 'up-1', ...chunk })}\n\n`;
  const delta = { tool_calls: [{ index: 0, ...CALL }] };
  response.write(frame({ choices: [{ index: 0, delta, finish_reason: null }] }));
  response.write(frame({ choices: [{ ...end, delta: {} }] }));
  response.end(`${frame({ choices: [], usage: USAGE })}data: [DONE]\n\n`);
};

interface Called {
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
}

/** What is read of a whole reply and of an event of a stream, in any dialect. */
interface Wire {
  readonly type?: string;
  readonly choices?: readonly { readonly message?: Called; readonly delta?: Called }[];
  readonly content?: readonly { readonly input: unknown }[];
  readonly output?: readonly { readonly arguments: string }[];
  readonly delta?: string | { readonly partial_json?: string };
}

interface DialectRow {
  readonly path: string;
  readonly body: object;
  /** The arguments in a whole reply, parsed. */
  readonly whole: (reply: Wire) => unknown;
  /** The piece of the arguments in one event of a stream. */
  readonly piece: (event: Wire) => string | undefined;
}

const argumentsOf = (called: Called | undefined): string | undefined => called?.tool_calls?.[0]?.function.arguments;
const MESSAGES = [{ role: 'user', content: 'write it' }];
const ROWS: readonly DialectRow[] = [
  {
    path: '/chat/completions',
    body: {
      messages: MESSAGES,
      tools: [{ type: 'function', function: { name: 'write_file', parameters: PARAMETERS } }],
    },
    whole: ({ choices }) => JSON.parse(argumentsOf(choices?.[0]?.message) ?? ''),
    piece: ({ choices }) => argumentsOf(choices?.[0]?.delta),
  },
  {
    path: '/messages',
    body: { max_tokens: 100, messages: MESSAGES, tools: [{ name: 'write_file', input_schema: PARAMETERS }] },
    whole: ({ content }) => content?.[0]?.input,
    piece: ({ delta }) => (typeof delta === 'object' ? delta.partial_json : undefined),
  },
  {
    path: '/responses',
    body: { input: 'write it', tools: [{ type: 'function', name: 'write_file', parameters: PARAMETERS }] },
    whole: ({ output }) => JSON.parse(output?.[0]?.arguments ?? ''),
    piece: ({ type, delta }) =>
      type === 'response.function_call_arguments.delta' && typeof delta === 'string' ? delta : undefined,
  },
];

async function ask(path: string, body: object): Promise<string> {
  const { status, text } = await api.ask(path, { body: { model: 'sim/tools', ...body } });
  assert.is(status, 200, text.slice(0, 1_000));
  return text;
}

function eventsOf(stream: string): readonly Wire[] {
  return stream.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
}

it('arguments of 300 KB in one piece arrive in every dialect, in a whole reply and in a stream (rule I137)', async () => {
  for (const { path, body, whole, piece } of ROWS) {
    const reply = JSON.parse(await ask(path, body));
    assert.equal(whole(reply), JSON.parse(ARGUMENTS), path);
    const events = eventsOf(await ask(path, { ...body, stream: true }));
    const streamed = events.map((event) => piece(event) ?? '').join('');
    assert.equal(JSON.parse(streamed), JSON.parse(ARGUMENTS), path);
  }
});

test.run();
