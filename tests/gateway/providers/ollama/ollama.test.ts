import { Ollama } from 'ollama';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { adapterOf } from '../../../../gateway/providers/call/target.ts';
import { ollamaAdapter } from '../../../../gateway/providers/ollama/adapter.ts';
import { OllamaReader } from '../../../../gateway/providers/ollama/reply-reader.ts';
import { ProviderFailure } from '../../../../gateway/providers/provider-failure.ts';
import { type Simulator, startSimulator } from '../../../../gateway/simulator/simulator.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { endpointOf } from '../../../support/model/endpoints.ts';
import { turnOf } from '../scene.ts';

const it = bounded(test);
const TARGET = { dialect: 'ollama', baseUrl: 'http://127.0.0.1:11434', upstreamId: 'qwen3:8b' } as const;
const DECLARED = {
  target: TARGET,
  contextLength: 32_768,
  supportedParameters: ['temperature', 'top_k', 'stop', 'seed', 'repetition_penalty', 'logprobs', 'dimensions'],
};
const ENDPOINT = endpointOf(DECLARED);
const PICTURE = { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: 'iVBORw0K' } } as const;

let simulator: Simulator;
let client: Ollama;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim-a', keep: true });
  client = new Ollama({ host: `http://127.0.0.1:${simulator.port}/strict/ollama` });
});
test.after(() => simulator.close());

function bodyOf(requested: Partial<Turn>, declared = {}): Readonly<Record<string, unknown>> {
  const endpoint = endpointOf({ ...DECLARED, ...declared });
  return JSON.parse(ollamaAdapter.writer(endpoint)(turnOf(requested), 100) as string) as Record<string, unknown>;
}

it('the context length is stated, a cut of the prompt forbidden, and settings are options', () => {
  const sampling = { temperature: 0.5, top_k: 3, stop: 'END', repetition_penalty: 1.1, logprobs: true, min_p: 0.1 };
  assert.equal(bodyOf({ sampling }), {
    model: 'qwen3:8b',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: false,
    truncate: false,
    shift: false,
    options: {
      num_ctx: 32_768,
      num_predict: 100,
      temperature: 0.5,
      top_k: 3,
      stop: ['END'],
      repeat_penalty: 1.1,
    },
    logprobs: true,
  });
});

it('what the endpoint declares of its wire is obeyed', () => {
  const wire = {
    rename: { seed: 'random_seed' },
    omit: ['temperature', 'shift'],
    systemRole: 'user',
    ceiling: 'asked',
    thinkingSwitch: { path: ['options', 'reasoning'], on: 'on', off: 'off' },
  } as const;
  const messages = [{ role: 'system', text: 'Be brief.' }] as const;
  const asked = { messages, sampling: { seed: 7, temperature: 1 }, reasoning: { enabled: false } };
  const body = bodyOf(asked, { target: { ...TARGET, wire } });
  assert.equal(body.options, { num_ctx: 32_768, random_seed: 7, reasoning: 'off' });
  assert.equal(body.messages, [{ role: 'user', content: 'Be brief.' }]);
  assert.is(body.shift, undefined);
});

it('thinking is a level or a switch, and a schema the format itself', () => {
  assert.is(bodyOf({ reasoning: { effort: 'high' } }).think, 'high');
  assert.is(bodyOf({ reasoning: { effort: 'none' } }).think, false);
  assert.is(bodyOf({ reasoning: { tokensMax: 2_000 } }).think, true);
  assert.is(bodyOf({}).think, undefined);
  assert.is(bodyOf({ responseFormat: { type: 'json_object' } }).format, 'json');
  const schema = { type: 'object', properties: {} };
  assert.equal(bodyOf({ responseFormat: { type: 'json_schema', json_schema: { schema } } }).format, schema);
});

it('parameters of a caller for this provider go where the server reads them, and never change what is sold', () => {
  const unknown = { type: 'unknown' } as const;
  const passthrough = { keep_alive: unknown, mirostat: unknown, num_ctx: unknown, num_predict: unknown };
  const endpoint = endpointOf({ ...DECLARED, passthrough });
  const options = { [endpoint.provider.slug]: { keep_alive: '5m', mirostat: 2, num_ctx: 9, num_predict: -1 } };
  const body = JSON.parse(
    ollamaAdapter.writer(endpoint)(turnOf({ preferences: { allowFallbacks: true, options } }), 100) as string,
  ) as Readonly<Record<string, unknown>>;
  assert.is(body.keep_alive, '5m');
  assert.equal(body.options, { num_ctx: 32_768, num_predict: 100, mirostat: 2 });
});

it('a picture behind a text begins a message, since the server shows pictures first', () => {
  const parts = [{ type: 'text', text: 'One' }, PICTURE, { type: 'text', text: 'Two' }] as const;
  assert.equal(bodyOf({ messages: [{ role: 'user', text: 'OneTwo', parts }] }).messages, [
    { role: 'user', content: 'One' },
    { role: 'user', content: 'Two', images: ['iVBORw0K'] },
  ]);
});

it('an address of a picture and other media are refused to the caller', () => {
  const address = { type: 'image', source: { kind: 'url', url: 'https://p.test/a.png' } } as const;
  const file = { ...PICTURE, type: 'file' } as const;
  for (const part of [address, file]) {
    assert.throws(
      () => bodyOf({ messages: [{ role: 'user', text: '', parts: [part] }] }),
      (error: unknown) => error instanceof ProviderFailure && error.refusal?.code === 'unsupported_parameter',
    );
  }
});

it('a choice that the server cannot be held to is reported, and none leaves the tools out', () => {
  const tools = [{ name: 'find' }];
  assert.is(bodyOf({ tools, toolChoice: 'none' }).tools, undefined);
  assert.equal(ollamaAdapter.leftOut(turnOf({ tools, toolChoice: 'none' }), ENDPOINT, 1), []);
  for (const toolChoice of ['required', { name: 'find' }] as const) {
    assert.equal(ollamaAdapter.leftOut(turnOf({ tools, toolChoice }), ENDPOINT, 1), ['tool_choice']);
  }
});

it('an error in the stream is classified, and a load without an answer is none', () => {
  const failureOf = (line: object): ProviderFailure => {
    try {
      new OllamaReader(String).readFrame(undefined, JSON.stringify(line), []);
    } catch (error) {
      if (error instanceof ProviderFailure) return error;
    }
    throw new Error('it was read');
  };
  const long = failureOf({ error: 'the input length exceeds the context length' });
  assert.is(long.refusal?.code, 'context_length_exceeded');
  assert.is(failureOf({ error: 'an error was encountered while running the model: sk-123' }).reason, 'unavailable');
  assert.not.match(failureOf({ error: 'broken sk-123' }).message, /sk-123/);
  assert.is(failureOf({ done: true, done_reason: 'load', message: { content: '' } }).reason, 'garbage');
});

it('an answer that ended at its bound says so, and scores are read', () => {
  const events: TurnEvent[] = [];
  const reader = new OllamaReader(String);
  const logprobs = [{ token: 'Hi', logprob: -0.1, top_logprobs: [{ token: 'Hi', logprob: -0.1 }] }];
  reader.readFrame(undefined, JSON.stringify({ message: { content: 'Hi' }, logprobs, done: false }), events);
  const done = { done: true, done_reason: 'length', prompt_eval_count: 5, eval_count: 1 };
  assert.is(reader.readFrame(undefined, JSON.stringify(done), events), 'end');
  assert.equal(
    events.map(({ type }) => type),
    ['text-delta', 'logprobs', 'finish'],
  );
  assert.equal(events.at(-1), { type: 'finish', reason: 'length', native: 'length' });
  assert.equal(reader.usage, { promptTokens: 5, completionTokens: 1 });
});

it('an endpoint of vectors is called at the address of embeddings, and its vectors keep their order', () => {
  const endpoint = endpointOf({ ...DECLARED, outputModalities: ['embeddings'] });
  const adapter = adapterOf(endpoint);
  assert.is(adapter?.address(TARGET, false), '/api/embed');
  const messages = ['one', 'two'].map((text) => ({ role: 'user', text }) as const);
  const turn = turnOf({ kind: 'vectors', messages, sampling: { dimensions: 2 } });
  assert.equal(JSON.parse(adapter?.writer(endpoint)(turn, 0) as string), {
    model: 'qwen3:8b',
    input: ['one', 'two'],
    truncate: false,
    options: { num_ctx: 32_768 },
    dimensions: 2,
  });
  const ids = turnOf({ kind: 'vectors', messages: [{ role: 'user', text: '', tokens: [1, 2] }] });
  assert.throws(() => adapter?.writer(endpoint)(ids, 0), /no token ids/);
  assert.equal(adapter?.leftOut(turnOf({ sampling: { input_type: 'search_query' } }), endpoint, 0), ['input_type']);
  const embeddings = [
    [0.5, 1],
    [2, -1],
  ];
  const events: TurnEvent[] = [];
  const reader = adapter?.reader(String, undefined, turn);
  reader?.readWhole({ embeddings, prompt_eval_count: 4 }, events);
  assert.equal(events[0], { type: 'embeddings', vectors: embeddings });
  assert.equal(reader?.usage, { promptTokens: 4, completionTokens: 0 });
  const short = adapter?.reader(String, undefined, turn);
  assert.throws(() => short?.readWhole({ embeddings: embeddings.slice(1) }, []), /1 vectors for 2 inputs/);
});

it('the client of the server reads what the simulated provider answers, whole and streamed', async () => {
  const messages = [
    {
      role: 'user',
      content: 'Go @sim {"reasoning_tokens":2,"tool_calls":[{"name":"find","arguments":"{\\"n\\":1}"}]}',
    },
  ];
  const asked = { model: 'sim/fast', messages, think: true, options: { num_ctx: 100, stop: ['x'] } };
  const whole = await client.chat(asked);
  assert.is(whole.message.thinking, 'r1 r2 ');
  assert.equal(whole.message.tool_calls?.[0]?.function.arguments, { n: 1 });
  let thinking = '';
  const calls: unknown[] = [];
  let tokens = 0;
  for await (const part of await client.chat({ ...asked, stream: true })) {
    thinking += part.message.thinking ?? '';
    calls.push(...(part.message.tool_calls ?? []));
    if (part.done) tokens = part.eval_count;
  }
  assert.is(thinking, 'r1 r2 ');
  assert.is(calls.length, 1);
  assert.is(tokens, whole.eval_count);
  const { embeddings, prompt_eval_count } = await client.embed({
    model: 'sim/embed',
    input: ['a', 'b'],
    dimensions: 8,
  });
  assert.equal(
    embeddings.map(({ length }) => length),
    [8, 8],
  );
  assert.ok(prompt_eval_count > 0);
});

it('the strict simulator refuses in the words of the server', async () => {
  const asked = { model: 'sim/fast', messages: [{ role: 'user', content: 'Hi' }] };
  const words = async (request: object): Promise<string> => {
    try {
      await client.chat({ ...asked, ...request } as typeof asked);
    } catch (error) {
      return String(error);
    }
    return 'it was answered';
  };
  assert.match(await words({ options: { stop: 'x' } }), /option "stop" must be of type array/);
  assert.match(await words({ messages: [{ role: 'developer', content: '' }] }), /invalid role: developer/);
  const call = { function: { name: 'find', arguments: '{}' } };
  assert.match(
    await words({ messages: [{ role: 'assistant', content: '', tool_calls: [call] }] }),
    /cannot unmarshal string into Go struct field ChatRequest\.messages\.tool_calls\.function\.arguments/,
  );
  const long = { messages: [{ role: 'user', content: 'x'.repeat(500) }], options: { num_ctx: 100 } };
  assert.match(await words({ ...long, truncate: false }), /input length exceeds the context length/);
  assert.is(await words(long), 'it was answered');
});

test.run();
