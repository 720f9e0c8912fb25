import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Closing } from '../../../../gateway/dialects/reply/reply-dialect.ts';
import { rerankDialect } from '../../../../gateway/dialects/rerank/rerank-dialect.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';

const it = bounded(test);
const BODY = { model: 'a/b', query: 'rivers', documents: ['one', { text: 'two' }] };
const HEAD = { id: 'gen-1', created: 1, model: 'a/b', provider: 'P' };
const CLOSING: Closing = {
  usage: { promptTokens: 7, completionTokens: 0 },
  cost: '0.000000000000000000000007',
  honoured: {},
};

const parse = (members: object = {}) => rerankDialect.parse({ ...BODY, ...members }, null);

function answered(members: object, closing: Closing | null): string {
  const ranks = [
    { index: 1, score: 0.75 },
    { index: 0, score: -2 },
  ];
  const events: TurnEvent[] = [
    { type: 'ranking', ranks },
    { type: 'finish', reason: 'stop', native: null },
  ];
  return parse(members).reply.whole(HEAD, events, closing);
}

it('each document is a message, and the answer has as many as are asked for and exist (rule I150)', () => {
  const { turn } = parse({ top_n: 5, session_id: 's', user: 'u', max_tokens_per_doc: 9 });
  assert.equal(turn.kind, 'ranking');
  assert.equal(turn.messages, [
    { role: 'user', text: 'one' },
    { role: 'user', text: 'two' },
  ]);
  assert.equal(turn.ranking, { query: 'rivers', most: 2 });
  assert.equal(turn.modalities, { input: [], output: ['rerank'] });
  assert.equal([turn.user, turn.conversation, turn.sampling], ['u', 's', { max_tokens_per_doc: 9 }]);
  assert.is(parse({ top_n: 1 }).turn.ranking?.most, 1);
});

it('a document may be a picture, with words or without (rule I150)', () => {
  const { turn } = parse({
    documents: [{ image: 'https://a.example/x.png' }, { text: 't', image: 'data:image/png;base64,AAAA' }],
  });
  assert.equal(turn.modalities?.input, ['image']);
  assert.equal(turn.messages, [
    { role: 'user', text: '', parts: [{ type: 'image', source: { kind: 'url', url: 'https://a.example/x.png' } }] },
    {
      role: 'user',
      text: 't',
      parts: [
        { type: 'text', text: 't' },
        { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: 'AAAA' } },
      ],
    },
  ]);
});

for (const [members, message] of [
  [{ query: '' }, /^query must not be empty$/],
  [{ query: null }, /^query/],
  [{ documents: [] }, /^documents must have at least 1 item$/],
  [{ documents: Array(2_049).fill('x') }, /^documents must have at most 2048 items$/],
  [{ documents: ['x', ''] }, /^documents\[1\]/],
  [{ documents: ['x', {}] }, /^documents\[1\] must have a text or an image$/],
  [{ documents: [{ image: 'ftp://x' }] }, /^documents\[0\]\.image must be an https:, http: or data: URL$/],
  [{ documents: ['x', 7] }, /^documents\[1\]/],
  [{ top_n: 0 }, /^top_n must be at least 1$/],
  [{ stream: true }, /^stream must be false$/],
  [{ max_tokens_per_doc: 0 }, /^max_tokens_per_doc/],
] as const) {
  it(`a 400 names the member: ${JSON.stringify(members).slice(0, 60)} (rule I150)`, () => {
    const refused = thrownBy(() => parse(members), GatewayError);
    assert.is(refused.status, 400);
    assert.match(refused.message, message);
  });
}

it('the best document comes first with its text, and every digit of the cost (rule I152)', () => {
  assert.is(
    answered({}, { ...CLOSING, searches: 1 }),
    '{"id":"gen-1","model":"a/b","provider":"P","results":[' +
      '{"index":1,"relevance_score":0.75,"document":{"text":"two"}},' +
      '{"index":0,"relevance_score":-2,"document":{"text":"one"}}],"meta":{"billed_units":{"search_units":1}},' +
      '"usage":{"search_units":1,"total_tokens":7,"cost":0.000000000000000000000007}}',
  );
});

it('places and scores alone where no documents are asked for, and no usage without a recorded charge (rule I152)', () => {
  assert.is(
    answered({ return_documents: false }, null),
    '{"id":"gen-1","model":"a/b","provider":"P","results":[{"index":1,"relevance_score":0.75},{"index":0,"relevance_score":-2}],"meta":{}}',
  );
  const counted = { ...CLOSING, usage: { completionTokens: 0 }, promptCounted: 5, cost: '0' };
  const { meta, usage } = JSON.parse(answered({}, counted)) as Record<string, unknown>;
  assert.equal([meta, usage], [{ billed_units: { input_tokens: 5 } }, { total_tokens: 5, cost: 0 }]);
});

it('paths of a turn are named as members of the request', () => {
  const { pathOf } = parse().reply;
  assert.equal(
    ['messages[1]', 'messages[1].content', 'messages', 'query', 'tools'].map((path) => pathOf?.(path)),
    ['documents[1]', 'documents[1]', 'documents', 'query', null],
  );
});

test.run();
