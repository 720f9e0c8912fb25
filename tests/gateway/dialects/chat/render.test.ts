import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorMember } from '../../../../gateway/dialects/chat/error-member.ts';
import { render } from '../../../../gateway/dialects/chat/render.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 5_000);
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'P "x"' };

it('a text reply has every member of the specification', () => {
  const text = render(
    HEAD,
    [
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo\n"' },
      { type: 'finish', reason: 'stop', native: 'eos' },
      { type: 'usage', usage: {} },
    ],
    { promptTokens: 5, completionTokens: 2 },
    '0.0000123',
  );
  assert.equal(JSON.parse(text), {
    id: 'gen-1',
    object: 'chat.completion',
    created: 1_750_000_000,
    model: 'a/b',
    provider: 'P "x"',
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello\n"', refusal: null, reasoning: 'hm' },
        finish_reason: 'stop',
        native_finish_reason: 'eos',
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, cost: 0.0000123 },
  });
  assert.match(text, /"cost":0\.0000123}}$/);
});

it('tool calls stand in the place of text, in their order', () => {
  const reply = JSON.parse(
    render(
      HEAD,
      [
        { type: 'tool-start', index: 0, id: 'a', name: 'f' },
        { type: 'tool-delta', index: 0, arguments: '{"x"' },
        { type: 'tool-start', index: 1, id: 'b', name: 'g' },
        { type: 'tool-delta', index: 0, arguments: ':1}' },
        { type: 'finish', reason: 'tool_calls', native: 'stop' },
      ],
      {},
      '0',
    ),
  );
  assert.is(reply.choices[0].message.content, null);
  assert.equal(reply.choices[0].message.tool_calls, [
    { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
    { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
  ]);
  assert.equal(reply.usage, { cost: 0 });
});

it('an empty reply has empty text, a refusal has none', () => {
  const empty = JSON.parse(render(HEAD, [{ type: 'finish', reason: 'stop', native: null }], {}, '0'));
  assert.is(empty.choices[0].message.content, '');
  const refused = JSON.parse(render(HEAD, [{ type: 'refusal-delta', text: 'no' }], {}, '0'));
  assert.is(refused.choices[0].message.content, null);
  assert.is(refused.choices[0].message.refusal, 'no');
});

it('a charge that could not be closed shows no usage', () => {
  assert.is(JSON.parse(render(HEAD, [], { promptTokens: 1 }, null)).usage, undefined);
});

it('the error member has the status, the message and its type, and a 500 has no words of its own', () => {
  const error = new GatewayError({ status: 500, type: 'server', message: 'at line 5', detail: 'stack' });
  assert.equal(JSON.parse(errorMember(error)), {
    code: 500,
    message: 'Internal Server Error',
    metadata: { error_type: 'server' },
  });
});

test.run();
