import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse as parseChat } from '../../../../gateway/dialects/chat/parse.ts';
import { parse } from '../../../../gateway/dialects/completions/parse.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';

/** rule I62. */
const it = bounded(test);
const BASE = { model: 'a/b', prompt: 'Once' };

function refusal(body: unknown, session: string | null = null): string {
  const { status, type, message } = thrownBy(() => parse(body, session), GatewayError);
  assert.equal([status, type], [400, 'invalid_request']);
  return message;
}

it('a prompt is a turn of one user message (rule I62)', () => {
  assert.equal(parse(BASE), {
    turn: {
      kind: 'continuation',
      models: ['a/b'],
      messages: [{ role: 'user', text: 'Once' }],
      stream: false,
      sampling: {},
      preferences: { allowFallbacks: true },
    },
    echo: null,
  });
});

it('every member of the table reaches the turn', () => {
  const { turn, echo } = parse(
    {
      ...BASE,
      models: ['c/d:floor', 'a/b'],
      stream: true,
      temperature: 0,
      top_p: 1,
      top_k: -1,
      frequency_penalty: -2,
      presence_penalty: 2,
      repetition_penalty: 2,
      seed: -1,
      stop: ['x'],
      max_tokens: 1,
      logprobs: 3,
      echo: true,
      suffix: 'the end',
      user: 'u',
      provider: { only: ['p'] },
      route: 'sort',
    },
    'session',
  );
  assert.equal(turn, {
    kind: 'continuation',
    models: ['a/b', 'c/d:floor'],
    messages: [{ role: 'user', text: 'Once' }],
    stream: true,
    sampling: {
      temperature: 0,
      top_p: 1,
      top_k: -1,
      frequency_penalty: -2,
      presence_penalty: 2,
      repetition_penalty: 2,
      seed: -1,
      stop: ['x'],
      suffix: 'the end',
      logprobs: true,
      top_logprobs: 3,
    },
    preferences: { allowFallbacks: true, only: ['p'], partition: 'none' },
    completionTokensMax: 1,
    user: 'u',
    conversation: 'session',
  });
  assert.is(echo, 'Once');
});

it('logprobs 0 requests no alternatives, and echo is off by default (rule I64)', () => {
  assert.equal(parse({ ...BASE, logprobs: 0 }).turn.sampling, { logprobs: true });
  assert.is(parse({ ...BASE, echo: false }).echo, null);
  assert.is(parse({ ...BASE, prompt: '', echo: true }).echo, '');
});

it('null at every optional member counts as absent, and chat-only members are ignored', () => {
  const names =
    'models stream temperature top_p top_k frequency_penalty presence_penalty repetition_penalty seed stop max_tokens logprobs echo suffix user provider route';
  const nulls = Object.fromEntries(names.split(' ').map((name) => [name, null]));
  assert.equal(parse({ ...nulls, ...BASE }), parse(BASE));
  assert.equal(parse({ ...BASE, best_of: 3, n: 2, tools: 5, session_id: 'x', store: true }), parse(BASE));
});

const REFUSED: readonly (readonly [unknown, RegExp])[] = [
  [null, /^The request body must be a JSON object$/],
  [{ prompt: 'x' }, /^model is required$/],
  [{ model: 'a/b' }, /^prompt is required$/],
  [{ ...BASE, prompt: null }, /^prompt must be a string$/],
  [{ ...BASE, prompt: ['x'] }, /^prompt must be a string$/],
  [{ ...BASE, model: 'a/b:online' }, /:online is not supported$/],
  [{ ...BASE, models: Array(21).fill('a/b') }, /^models must have at most 20 items$/],
  [{ ...BASE, logprobs: true }, /^logprobs must be an integer$/],
  [{ ...BASE, logprobs: 21 }, /^logprobs must be at most 20$/],
  [{ ...BASE, logprobs: -1 }, /^logprobs must be at least 0$/],
  [{ ...BASE, echo: 'yes' }, /^echo must be a boolean$/],
  [{ ...BASE, suffix: 5 }, /^suffix must be a string$/],
  [{ ...BASE, provider: { sort: 5 } }, /^provider\.sort must be/],
  [{ ...BASE, stream: 'true' }, /^stream must be a boolean$/],
];

for (const [body, message] of REFUSED) {
  it(`400 names the member: ${JSON.stringify(body)?.slice(0, 70)}`, () => assert.match(refusal(body), message));
}

it('a session header that is too long is refused (rule I4)', () => {
  assert.is(refusal(BASE, 'x'.repeat(257)), 'X-Session-Id must have at most 256 characters');
});

it('members shared with chat have the same bounds and meaning (rule I3)', () => {
  const shared: readonly (readonly [string, unknown])[] = [
    ['temperature', 2.1],
    ['top_p', 0],
    ['top_k', -2],
    ['frequency_penalty', 2.1],
    ['presence_penalty', -2.1],
    ['repetition_penalty', 0],
    ['seed', 0.5],
    ['stop', Array(9).fill('x')],
    ['max_tokens', 1_048_577],
    ['user', 'x'.repeat(257)],
    ['route', 'scenic'],
  ];
  for (const [name, value] of shared) {
    const chat = { model: 'a/b', messages: [{ role: 'user', content: 'x' }], [name]: value };
    const message = refusal({ ...BASE, [name]: value });
    assert.ok(message.startsWith(`${name} `), message);
    assert.throws(
      () => parseChat(chat),
      (error: Error) => error.message === message,
    );
  }
});

test.run();
