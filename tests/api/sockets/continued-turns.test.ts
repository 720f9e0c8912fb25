import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { say } from '../../support/provider/say.ts';
import { type SocketFrame, TurnClient, textOf } from '../../support/stream/turn-client.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Turns over a WebSocket that continue the one before. */
const it = bounded(test);

const { cluster, funded, base } = await openApi(test, openCluster);

/** The first provider alone, so that its calls are those of the test. */
const ONE = { provider: { only: ['sim-a'] } };
const MODEL = { model: 'sim/fast', ...ONE };
const steered = (directive: Parameters<typeof say>[0]): object => ({ ...MODEL, input: say(directive)[0]?.content });
const errorOf = (frame: SocketFrame | undefined): Record<string, unknown> => frame?.error as Record<string, unknown>;

const callsOf = (): readonly { readonly body: unknown }[] => cluster.simulators[0]?.calls ?? [];

/** The conversation of the last call, as roles and texts. */
function lastConversation(): readonly (readonly [string, unknown])[] {
  const { messages } = (callsOf().at(-1)?.body ?? {}) as {
    readonly messages: readonly Record<'role' | 'content', string>[];
  };
  return messages.map(({ role, content }) => [role, content]);
}

const responseOf = (frames: readonly SocketFrame[]): { readonly id: string; readonly output: readonly object[] } =>
  frames.at(-1)?.response as { id: string; output: object[] };

it('a turn continues the last one of its socket, so that the provider reads the whole conversation (rule I97)', async () => {
  const client = await TurnClient.open(base, funded.key);
  const first = await client.turn({ ...MODEL, input: 'one', instructions: 'Be brief.' });
  const said = textOf(first);
  const second = await client.turn({
    ...{ ...MODEL, previous_response_id: responseOf(first).id },
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'two' }] }],
  });
  // Instructions belong to their turn, as in the original of this dialect.
  const conversation = [
    ['user', 'one'],
    ['assistant', said],
    ['user', 'two'],
  ];
  assert.equal(lastConversation(), conversation);
  await client.turn({ ...MODEL, previous_response_id: responseOf(second).id, input: 'three' });
  assert.equal(lastConversation(), [...conversation, ['assistant', textOf(second)], ['user', 'three']]);
  // The last turn alone is kept.
  client.create({ ...MODEL, previous_response_id: responseOf(first).id, input: 'x' });
  assert.is(errorOf((await client.until('error'))[0]).code, 'previous_response_not_found');
  client.socket.close();
});

it('calls of functions in namespaces and their results continue a turn', async () => {
  const client = await TurnClient.open(base, funded.key);
  const tools = [{ type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn' }] }];
  const request = { model: 'sim/tools', tools, ...ONE };
  const call = say({ tool_calls: [{ name: 'agents__spawn', arguments: '{"a":1}' }] })[0]?.content;
  const first = await client.turn({ ...request, input: call });
  const [item] = responseOf(first).output as [Record<string, string>];
  assert.equal([item.type, item.namespace, item.name, item.arguments], ['function_call', 'agents', 'spawn', '{"a":1}']);
  await client.turn({
    ...{ ...request, previous_response_id: responseOf(first).id },
    input: [{ type: 'function_call_output', call_id: item.call_id, output: 'done' }],
  });
  const roles = lastConversation().map(([role]) => role);
  assert.equal(roles, ['user', 'assistant', 'tool']);
  assert.match(JSON.stringify(callsOf().at(-1)), /"name":"agents__spawn"/);
  client.socket.close();
});

it('no other response can be continued: one of another socket, an unknown one, one that is too large (rule I97)', async () => {
  const [client, other] = [await TurnClient.open(base, funded.key), await TurnClient.open(base, funded.key)];
  const mine = responseOf(await client.turn({ ...MODEL, input: 'hello' })).id;
  const large = responseOf(await other.turn({ ...MODEL, input: 'x'.repeat(200_000) })).id;
  const merged = await other.turn({ ...MODEL, previous_response_id: large, input: 'y'.repeat(150_000) });
  for (const [socket, id] of [
    [other, mine],
    [client, 'resp_1'],
    [client, 5],
    [other, responseOf(merged).id],
  ] as const) {
    socket.create({ ...MODEL, previous_response_id: id, input: 'x' });
    const [frame] = await socket.until('error');
    const { code, type, message } = errorOf(frame);
    assert.equal([frame?.status, code, type], [400, 'previous_response_not_found', 'invalid_request']);
    assert.match(String(message), /^previous_response_id: .*Send the whole conversation as input$/);
  }
  assert.match(textOf(await client.turn({ ...MODEL, previous_response_id: mine, input: 'x' })), /x15/);
  client.socket.close();
  other.socket.close();
});

it('a turn that is refused, fails or is cancelled leaves the one before it to be continued', async () => {
  const client = await TurnClient.open(base, funded.key);
  const { id } = responseOf(await client.turn({ ...MODEL, input: 'hello' }));
  client.create({ ...MODEL, previous_response_id: id, input: 'x', temperature: 3 });
  assert.is((await client.until('error'))[0]?.status, 400);
  assert.is(
    (await client.turn({ ...steered({ tokens: 20, cut_after: 4 }), previous_response_id: id })).at(-1)?.type,
    'response.failed',
  );
  client.create({ ...steered({ tokens: 4_000, tps: 40 }), previous_response_id: id });
  await client.until('response.output_text.delta');
  client.send({ type: 'response.cancel' });
  await client.until('response.cancelled');
  await client.turn({ ...MODEL, previous_response_id: id, input: 'again' });
  assert.equal(
    lastConversation().map(([role, text]) => (role === 'user' ? text : role)),
    ['hello', 'assistant', 'again'],
  );
  client.socket.close();
});

it('a turn that generates nothing costs nothing, calls no provider, and can be continued', async () => {
  const payer = await cluster.fund('10', { perMinute: 4 });
  const client = await TurnClient.open(base, payer.key);
  const before = callsOf().length;
  const input = [{ role: 'developer', content: 'Be brief.' }];
  const prepared = await client.turn({ ...MODEL, input, generate: false });
  const { output, usage } = responseOf(prepared) as unknown as Record<string, unknown>;
  assert.equal([prepared.at(-1)?.type, output, (usage as { cost: number }).cost], ['response.completed', [], 0]);
  assert.is(callsOf().length, before);
  client.create({ ...MODEL, input, generate: false, temperature: 3 });
  assert.is((await client.until('error'))[0]?.status, 400);
  await client.turn({ ...MODEL, previous_response_id: responseOf(prepared).id, input: 'hello' });
  assert.equal(
    lastConversation().map(([, text]) => text),
    ['Be brief.', 'hello'],
  );
  // The handshake and three frames are the four requests of the minute.
  client.create({ ...MODEL, input, generate: false });
  assert.is((await client.until('error'))[0]?.status, 429);
  client.socket.close();
});

test.run();
