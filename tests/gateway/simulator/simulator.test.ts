import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { GARBAGE } from '../../../gateway/simulator/answer/garbage.ts';
import type { Call } from '../../../gateway/simulator/calls/call-log.ts';
import { type Simulator, startSimulator } from '../../../gateway/simulator/simulator.ts';
import { bounded } from '../../support/bounded.ts';
import { nodeArguments } from '../../support/node-arguments.ts';
import { modelsDocument } from '../../support/provider/simulated-provider.ts';

const it = bounded(test);
let simulator: Simulator;
test.before(async () => {
  simulator = await startSimulator({ name: 'sim-a', keep: true });
});
test.after(() => simulator.close());

function chat(content: string, members: object = {}): Promise<Response> {
  return fetch(`${simulator.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content }], ...members }),
    signal: AbortSignal.timeout(5_000),
  });
}

/** The data of every frame, the last one included. */
async function framesOf(response: Response): Promise<readonly string[]> {
  return (await response.text())
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => frame.slice(6));
}

it('an answer in one piece reports one token per chunk', async () => {
  const body = (await (await chat('hello @sim {"tokens":4}')).json()) as {
    choices: { message: { content: string } }[];
    usage: object;
  };
  assert.match(body.choices[0]?.message.content ?? '', /^sim-a:\d+ x1 x2 x3 $/);
  assert.equal((body.usage as { completion_tokens: number }).completion_tokens, 4);
});

it('a stream ends with its usage and the end marker, and stops at the ceiling', async () => {
  const frames = await framesOf(await chat('hello', { stream: true, max_tokens: 2 }));
  assert.is(frames.at(-1), '[DONE]');
  assert.is(JSON.parse(frames.at(-2) ?? '').usage.completion_tokens, 2);
  assert.is(JSON.parse(frames.at(-3) ?? '').choices[0].finish_reason, 'length');
});

it('the echo model answers with the last message of the user, whole and streamed, within the ceiling', async () => {
  const messages = [
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'x' },
    { role: 'user', content: [{ type: 'text', text: 'Say  hello,\nwörld' }] },
    { role: 'assistant', content: 'not this' },
  ];
  const echo = (members: object) => chat('', { model: 'sim/echo', messages, ...members });
  const whole = JSON.parse(await (await echo({})).text());
  assert.is(whole.choices[0].message.content, 'Say  hello,\nwörld');
  assert.equal([whole.choices[0].finish_reason, whole.usage.completion_tokens], ['stop', 3]);
  const frames = (await framesOf(await echo({ stream: true }))).slice(0, -1).map((frame) => JSON.parse(frame));
  assert.is(frames.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), 'Say  hello,\nwörld');
  const cut = JSON.parse(await (await echo({ max_tokens: 2 })).text());
  assert.is(cut.choices[0].message.content, 'Say  hello,\n');
  assert.equal([cut.choices[0].finish_reason, cut.usage.completion_tokens], ['length', 2]);
  const silent = JSON.parse(await (await echo({ messages: [{ role: 'system', content: 'x' }] })).text());
  assert.is(silent.choices[0].message.content, 'Nothing to echo.');
});

it('a required tool is called with its declared properties', async () => {
  const tools = [
    { type: 'function', function: { name: 'weather', parameters: { properties: { city: { type: 'string' } } } } },
  ];
  const response = await chat('hello', { tools, tool_choice: 'required' });
  const body = (await response.json()) as {
    choices: { finish_reason: string; message: { tool_calls: { function: object }[] } }[];
  };
  assert.is(body.choices[0]?.finish_reason, 'tool_calls');
  assert.equal(body.choices[0]?.message.tool_calls[0]?.function, { name: 'weather', arguments: '{"city":"x"}' });
});

it('the first calls of an id fail as directed, the next one is served', async () => {
  const statuses = [];
  for (let at = 0; at < 3; at++) statuses.push((await chat('x @sim {"id":"f","fail_first":2,"status":429}')).status);
  assert.equal(statuses, [429, 429, 200]);
  assert.is((await chat('x @sim {"only_on":"sim-b","status":500}')).status, 200);
});

it('a cut stream breaks after the directed chunk', async () => {
  const response = await chat('x @sim {"cut_after":2,"tps":200}', { stream: true });
  let seen = '';
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body ?? []) seen += decoder.decode(piece as Uint8Array);
    assert.unreachable('the stream ended in order');
  } catch (error) {
    assert.instance(error, TypeError);
  }
  assert.match(seen, /"x1 "/);
  assert.not.match(seen, /"x2 "/);
});

it('a hung call sends nothing and is recorded as aborted by its reader', async () => {
  const leave = new AbortController();
  const request = fetch(`${simulator.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'sim/fast',
      messages: [{ role: 'user', content: '@sim {"id":"hang","hang":"headers"}' }],
    }),
    signal: leave.signal,
  });
  while (!simulator.calls.some((call) => call.id === 'hang')) await new Promise((resolve) => setImmediate(resolve));
  leave.abort();
  await request.then(
    () => assert.unreachable('it answered'),
    () => {},
  );
  const call = simulator.calls.find((each) => each.id === 'hang') as Call;
  while (call.outcome === 'open') await new Promise((resolve) => setImmediate(resolve));
  assert.is(call.outcome, 'aborted');
});

const ENDLESS = ['infinite-comments', 'trickle', 'long-line', 'gzip', 'redirect'];
for (const kind of GARBAGE.filter((each) => !ENDLESS.includes(each))) {
  it(`garbage "${kind}" is not a valid answer, streamed or whole`, async () => {
    for (const stream of [true, false]) {
      const content = `x @sim ${JSON.stringify({ garbage: kind })}`;
      const tools =
        kind === 'prose' || kind === 'wrong-tool'
          ? { tools: [{ type: 'function', function: { name: 't' } }], tool_choice: 'required' }
          : {};
      const good = await (await chat('x', { stream, ...tools })).text();
      const bad = await (await chat(content, { stream, ...tools })).text();
      const strip = (text: string): string =>
        text.replace(/sim-a[-:]\d+|call_\S+?_\d+_\d|"(prompt|total)_tokens":\d+/g, '');
      if (kind !== 'no-newline' || stream) assert.is.not(strip(bad), strip(good));
    }
  });
}

it('both slugs declare the same models at different prices, one of them cancellable', () => {
  const [a, b] = [modelsDocument('sim-a')?.data ?? [], modelsDocument('sim-b')?.data ?? []];
  assert.ok(a.length >= 4);
  assert.equal(
    a.map((model) => model.id),
    b.map((model) => model.id),
  );
  for (const [at, model] of a.entries()) {
    assert.not.equal(model.input_modalities[0]?.pricing, b[at]?.input_modalities[0]?.pricing);
    assert.is.not(model.cancellable, b[at]?.cancellable);
    // Vectors and rankings have no ceiling.
    const isAlone = ['embeddings', 'rerank'].includes(model.output_modalities[0]?.type ?? '');
    if (!isAlone) assert.is.not(model.ceiling_parameter, b[at]?.ceiling_parameter);
  }
  assert.is(modelsDocument('nobody'), null);
});

it('as a process it prints its port, ignores SIGINT, logs every call and ends with its parent', async () => {
  const log = join(mkdtempSync(join(tmpdir(), 'sim-')), 'calls.jsonl');
  const main = fileURLToPath(new URL('../../../gateway/simulator/main.ts', import.meta.url));
  const child = spawn(process.execPath, [...nodeArguments(main), '--name', 'sim-b', '--log', log], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  child.kill('SIGINT');
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'sim/fast', messages: [{ role: 'user', content: '@sim {"id":"logged"}' }] }),
  });
  await response.text();
  child.stdin.end();
  const [code] = (await once(child, 'exit')) as [number];
  assert.is(code, 0);
  assert.ok(existsSync(log));
  const calls = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Call);
  assert.equal(
    calls.map((call) => [call.id, call.provider, call.outcome]),
    [['logged', 'sim-b', 'served']],
  );
});

it('a JSON format is answered with JSON of its shape, and a flawed model has the flaws in its name', async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' }, kind: { enum: ['a', 'b'] } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } };
  const message = async (model: string, members: object) => {
    const body = (await (await chat('hello', { model, ...members })).json()) as {
      choices: { message: Record<string, never> }[];
    };
    return body.choices[0]?.message;
  };
  assert.is((await message('sim/fast', { response_format }))?.content, '{"n":1,"kind":"a"}');
  assert.match((await message('flawed/ignores-format', { response_format }))?.content ?? '', /^sim-a/);
  assert.is((await message('flawed/ignores-schema', { response_format }))?.content, '{"answer": "x"}');
  const tools = [{ type: 'function', function: { name: 'add' } }];
  assert.is((await message('flawed/prose-for-tools', { tools, tool_choice: 'required' }))?.tool_calls, undefined);
  assert.is((await message('flawed/prose-for-tools', { reasoning_effort: 'none' }))?.reasoning_content, undefined);
  assert.ok((await message('flawed/thinks-despite-none', { reasoning_effort: 'none' }))?.reasoning_content);
  assert.ok((await message('flawed/refuses', {}))?.refusal);
  assert.is((await chat('hello', { model: 'flawed/rejects-effort', reasoning_effort: 'low' })).status, 400);
  assert.is((await chat('hello', { model: 'flawed/rejects-effort' })).status, 200);
});

test.run();
