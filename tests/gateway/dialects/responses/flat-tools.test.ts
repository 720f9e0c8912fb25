import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { responsesDialect } from '../../../../gateway/dialects/responses/responses-dialect.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { JsonText } from '../../../../gateway/terms/json-text.ts';
import type { Turn } from '../../../../gateway/terms/turn.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';
import { ResponsesJudge } from '../../../support/stream/responses-judge.ts';

/** Functions in namespaces: providers receive them under one flat name, clients see both names. */
const it = bounded(test);

const HEAD = { id: 'gen-1750000000-abc', created: 1_750_000_000, model: 'a/b', provider: 'P' };
const CLOSING = { usage: { promptTokens: 5, completionTokens: 2 }, cost: '0', honoured: {} };
const named = (name: string, more: object = {}): object => ({ type: 'function', name, ...more });
const space = (name: string, tools: readonly object[], more: object = {}): object => ({
  ...{ type: 'namespace', name, tools },
  ...more,
});
const AGENTS = space('agents', [named('spawn', { description: 'Spawns.', strict: false }), named('wait')], {
  description: 'Sub-agents.',
});

type Parsed = ReturnType<typeof responsesDialect.parse>;

function parse(members: object): Parsed {
  return responsesDialect.parse({ model: 'a/b', input: 'hi', ...members }, null);
}

function refused(members: object): string {
  const { status, message } = thrownBy(() => parse(members), GatewayError);
  assert.is(status, 400);
  return message;
}

const namesOf = ({ tools }: Turn): readonly string[] => (tools ?? []).map(({ name }) => name);

it('functions of a namespace stand among the others, and its description goes with the first of them (rule I86)', () => {
  const { turn } = parse({ tools: [named('shell'), AGENTS, named('plan')] });
  assert.equal(turn.tools, [
    { name: 'shell' },
    {
      ...{ name: 'agents__spawn', strict: false },
      description: 'Spawns.\n\nAbout every function named agents__*: Sub-agents.',
    },
    { name: 'agents__wait' },
    { name: 'plan' },
  ]);
  const schema = new JsonText('{"type":"object"}');
  assert.equal(parse({ tools: [space('n', [named('f', { parameters: schema })])] }).turn.tools, [
    { name: 'n__f', parameters: schema },
  ]);
});

it('a name that is too long for providers ends in a digest and stays unlike its neighbours (rule I86)', () => {
  const long = 'x'.repeat(60);
  const [first, second] = namesOf(parse({ tools: [space('server', [named(`${long}a`), named(`${long}b`)])] }).turn);
  assert.match(first ?? '', /^server__x{47}_[0-9a-f]{8}$/);
  assert.is.not(first, second);
});

it('a choice names a function by namespace, or by its name alone where only one has it', () => {
  const tools = [AGENTS, space('jobs', [named('wait')]), named('plan'), space('plans', [named('plan')])];
  const choose = (choice: object): unknown =>
    parse({ tools, tool_choice: { type: 'function', ...choice } }).turn.toolChoice;
  assert.equal(choose({ namespace: 'jobs', name: 'wait' }), { name: 'jobs__wait' });
  assert.equal(choose({ name: 'spawn' }), { name: 'agents__spawn' });
  assert.equal(choose({ name: 'plan' }), { name: 'plan' });
  for (const choice of [{ name: 'wait' }, { namespace: 'jobs', name: 'spawn' }, { name: 'agents__spawn' }]) {
    assert.match(
      refused({ tools, tool_choice: { type: 'function', ...choice } }),
      /^tool_choice\.name: .* is not among/,
    );
  }
});

it('what cannot be a function is refused at its position', () => {
  const many = space(
    'n',
    Array.from({ length: 1_000 }, (_, at) => named(`f${at}`)),
  );
  const rows: readonly (readonly [readonly object[], RegExp])[] = [
    [
      [AGENTS, space('n', [named('f'), { type: 'custom', name: 'patch' }])],
      /^tools\[1\]\.tools\[1\]\.type must be "function"/,
    ],
    [[space('n', [space('m', [])])], /^tools\[0\]\.tools\[0\]\.type must be "function"/],
    [[space('a b', [])], /^tools\[0\]\.name must match/],
    [[{ type: 'namespace', name: 'n' }], /^tools\[0\]\.tools is required/],
    [
      [
        many,
        space(
          'm',
          Array.from({ length: 1_000 }, (_, at) => named(`f${at}`)),
        ),
      ],
      /^tools must have at most 1536 functions/,
    ],
    [
      [named('n__f'), space('n', [named('f')])],
      /^tools\[1\]\.tools\[0\]\.name: the model knows tools\[0\] by the same name/,
    ],
    [[space('n', [named('f')]), space('n', [named('f')])], /^tools\[1\]\.tools\[0\]\.name: .* n__f$/],
  ];
  for (const [tools, message] of rows) assert.match(refused({ tools }), message);
});

it('calls that come back as history have the name that the model knows (rule I86)', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'spawn', arguments: '{}' };
  const input = [call, { ...call, namespace: 'agents' }, { ...call, namespace: null }];
  const [message] = parse({ input, tools: [AGENTS] }).turn.messages;
  assert.equal(message?.role === 'assistant' ? message.toolCalls?.map(({ name }) => name) : [], [
    ...['spawn', 'agents__spawn', 'spawn'],
  ]);
});

it('a call is answered with both names, in the stream and in the whole reply', () => {
  const { reply } = parse({ tools: [named('shell'), AGENTS] });
  const events: readonly TurnEvent[] = [
    { type: 'tool-start', index: 0, id: 'c1', name: 'agents__spawn' },
    { type: 'tool-delta', index: 0, arguments: '{"a":1}' },
    { type: 'tool-start', index: 1, id: 'c2', name: 'shell' },
    { type: 'tool-delta', index: 1, arguments: '{}' },
    { type: 'finish', reason: 'tool_calls', native: null },
  ];
  const frames = reply.frames(HEAD);
  const wire = reply.processing + events.map((event) => frames.of([event])).join('') + frames.end(CLOSING);
  const { faults, final, events: sent } = ResponsesJudge.of(wire, {});
  assert.equal(faults, []);
  const whole = JSON.parse(reply.whole(HEAD, events, CLOSING)) as Record<string, unknown>;
  for (const response of [final as Record<string, unknown>, whole]) {
    assert.equal(
      (response.output as Record<string, unknown>[]).map(({ namespace, name, call_id }) => [namespace, name, call_id]),
      [
        ['agents', 'spawn', 'c1'],
        [undefined, 'shell', 'c2'],
      ],
    );
    assert.equal((response.tools as object[])[1], {
      ...{ type: 'namespace', name: 'agents', description: 'Sub-agents.' },
      tools: [
        { type: 'function', name: 'spawn', description: 'Spawns.', parameters: null, strict: false },
        { type: 'function', name: 'wait', description: null, parameters: null, strict: null },
      ],
    });
  }
  const items = sent.flatMap(({ type, item }) => (type === 'response.output_item.added' ? [item] : []));
  assert.equal(
    [(items[0] as Record<string, unknown>).namespace, (items[0] as Record<string, unknown>).name],
    ['agents', 'spawn'],
  );
  const done = sent.find(({ type }) => type === 'response.function_call_arguments.done');
  assert.is(done?.name, 'spawn');
  assert.not.match(wire, /agents__/);
});

it('a path that a provider names is the path of the function in its namespace', () => {
  const { reply } = parse({ tools: [named('shell'), AGENTS, named('plan')] });
  assert.is(reply.pathOf?.('tools[2].function.parameters'), 'tools[1].tools[1].parameters');
  assert.is(reply.pathOf?.('tools[3].function.name'), 'tools[2].name');
  assert.is(reply.pathOf?.('tools[9].function.name'), 'tools[9].name');
  assert.is(parse({ tools: [named('shell')] }).reply.pathOf?.('tools[0].function.name'), 'tools[0].name');
});

test.run();
