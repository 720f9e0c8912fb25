import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { embeddingsDialect } from '../../../../gateway/dialects/embeddings/embeddings-dialect.ts';
import { parse } from '../../../../gateway/dialects/embeddings/parse.ts';
import { unreadMembers } from '../../../../gateway/dialects/request/read-members.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';

/** rule I105. */
const it = bounded(test);
const BASE = { model: 'a/b', input: 'Once' };

function refusal(body: unknown, session: string | null = null): string {
  const { status, type, message } = thrownBy(() => parse(body, session), GatewayError);
  assert.equal([status, type], [400, 'invalid_request']);
  return message;
}

it('a text is a turn of one message that asks for vectors, answered as numbers', () => {
  assert.equal(parse(BASE, null), {
    turn: {
      kind: 'vectors',
      models: ['a/b'],
      messages: [{ role: 'user', text: 'Once' }],
      stream: false,
      sampling: {},
      modalities: { input: [], output: ['embeddings'] },
      preferences: { allowFallbacks: true },
    },
    encoding: 'float',
  });
});

it('every member of the table reaches the turn', () => {
  const { turn, encoding } = parse(
    {
      ...BASE,
      models: ['c/d:floor', 'a/b'],
      encoding_format: 'base64',
      dimensions: 8,
      input_type: 'search_query',
      stream: false,
      user: 'u',
      provider: { only: ['p'] },
      route: 'sort',
    },
    'session',
  );
  assert.equal(turn.models, ['a/b', 'c/d:floor']);
  assert.equal(turn.sampling, { dimensions: 8, input_type: 'search_query' });
  assert.is(turn.user, 'u');
  assert.is(turn.conversation, 'session');
  assert.equal(turn.preferences, { allowFallbacks: true, only: ['p'], partition: 'none' });
  assert.is(encoding, 'base64');
});

it('inputs are texts or token ids, one message for each (rule I105)', () => {
  const inputs = (input: unknown): unknown => parse({ ...BASE, input }, null).turn.messages;
  const text = (value: string): object => ({ role: 'user', text: value });
  const ids = (...tokens: number[]): object => ({ role: 'user', text: '', tokens });
  assert.equal(inputs(['a', ' ']), [text('a'), text(' ')]);
  assert.equal(inputs([1, 0]), [ids(1, 0)]);
  assert.equal(inputs([[1, 0], [7]]), [ids(1, 0), ids(7)]);
  assert.is((inputs(Array(2_048).fill('x')) as unknown[]).length, 2_048);
  assert.is((inputs(Array(2_049).fill(5)) as unknown[]).length, 1, 'token ids of one input are no inputs');
});

for (const [members, message] of [
  [{ input: undefined }, 'input is required'],
  [{ input: null }, 'input must be a string or an array'],
  [{ input: 5 }, 'input must be a string or an array'],
  [{ input: { content: [] } }, 'input must be a string or an array'],
  [{ input: '' }, 'input must not be empty'],
  [{ input: [] }, 'input must have at least 1 item'],
  [{ input: ['a', ''] }, 'input[1] must not be empty'],
  [{ input: Array(2_049).fill('x') }, 'input must have at most 2048 items'],
  [{ input: Array(2_049).fill([1]) }, 'input must have at most 2048 items'],
  [{ input: Array(300_001).fill(1) }, 'input must have at most 300000 items'],
  [{ input: ['a', 1] }, 'input[1] must be a text, as input[0] is'],
  [{ input: [1, 'a'] }, 'input[1] must be a token id, as input[0] is'],
  [{ input: [[1], 'a'] }, 'input[1] must be a list of token ids, as input[0] is'],
  [{ input: [[1], []] }, 'input[1] must have at least 1 item'],
  [{ input: [1, 0.5] }, 'input[1] must be a token id, a whole number from 0 to 2147483647'],
  [{ input: [[1], [-1]] }, 'input[1][0] must be a token id, a whole number from 0 to 2147483647'],
  [{ input: [[1], ['x']] }, 'input[1][0] must be a token id, a whole number from 0 to 2147483647'],
  [{ input: [2 ** 31] }, 'input[0] must be a token id, a whole number from 0 to 2147483647'],
  [
    { input: [{ content: [{ type: 'text', text: 'x' }] }] },
    'input[0] must be a text or token ids: content parts are not embedded',
  ],
  [{ input: ['a', null] }, 'input[1] must be a text or token ids: content parts are not embedded'],
  [{ encoding_format: 'int8' }, 'encoding_format must be one of "float", "base64", not "int8"'],
  [{ dimensions: 0 }, 'dimensions must be at least 1'],
  [{ dimensions: 1.5 }, 'dimensions must be an integer'],
  [{ dimensions: 65_537 }, 'dimensions must be at most 65536'],
  [{ input_type: '' }, 'input_type must not be empty'],
  [{ input_type: 'x'.repeat(257) }, 'input_type must have at most 256 characters'],
  [{ stream: true }, 'stream must be false'],
  [{ user: 5 }, 'user must be a string'],
  [{ model: undefined }, 'model is required'],
  [{ model: 'a/b:online' }, 'model a/b:online: the suffix :online is not supported'],
  [{ provider: { sort: 'x' } }, /^provider\.sort must be one of/],
] as const) {
  it(`refuses ${JSON.stringify(members).slice(0, 60)}`, () => {
    const found = refusal({ ...BASE, ...members });
    if (typeof message === 'string') assert.is(found, message);
    else assert.match(found, message);
  });
}

it('refuses what is no object, and a long session', () => {
  for (const body of [null, 5, 'x', [BASE]]) assert.is(refusal(body), 'The request body must be a JSON object');
  assert.match(refusal(BASE, 'x'.repeat(257)), /^X-Session-Id must have at most 256/);
});

it('members of a chat request are unread, and a null is absent', () => {
  const body = { ...BASE, temperature: 1, messages: [], dimensions: null, stream: null, user: null };
  assert.equal(unreadMembers(embeddingsDialect.members, body), ['temperature', 'messages']);
  assert.equal(parse(body, null), parse(BASE, null));
});

it('a path of the turn is a path of the request where it has one, and there is no stream', () => {
  const { reply } = embeddingsDialect.parse(BASE, null);
  assert.is(reply.pathOf?.('messages[0].content'), 'input');
  assert.is(reply.pathOf?.('user'), 'user');
  assert.is(reply.pathOf?.('temperature'), null);
  assert.throws(() => reply.frames({ id: 'gen-1', created: 1, model: 'a/b', provider: 'P' }), /has no stream/);
});

test.run();
