import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { isUnbroken } from '../support/stream/numbered.ts';
import { StreamJudge } from '../support/stream/stream-judge.ts';

const it = bounded(test);

const HEAD = { id: 'gen-1', object: 'chat.completion.chunk', created: 1, model: 'a/b', provider: 'P' };

function frame(members: object): string {
  return `data: ${JSON.stringify({ ...HEAD, ...members })}\n\n`;
}

function delta(members: object, reason: string | null = null): string {
  return frame({ choices: [{ index: 0, delta: members, finish_reason: reason }] });
}

const OPEN = ': processing\n';
const FIRST = delta({ role: 'assistant', content: 'sim-a:1 ' });
const NEXT = delta({ content: 'x1 ' });
const LAST = delta({}, 'stop');
const USAGE = frame({ choices: [], usage: { cost: 0.1 }, honoured: {} });
const DONE = 'data: [DONE]\n\n';
const FAILURE = frame({
  error: { code: 502, message: 'm', metadata: { error_type: 'provider_unavailable' } },
  choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
});
const CALL = { index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } };
const GOOD = [OPEN, FIRST, ': keep-alive\n', NEXT, LAST, USAGE, DONE];
const chat = { dialect: 'chat' } as const;

function faultsOf(pieces: readonly string[], rules: object = {}): readonly string[] {
  return StreamJudge.of(pieces.join(''), { ...chat, ...rules }).faults;
}

it('accepts a valid stream, complete or failed, with tools or dispatch', () => {
  assert.equal(faultsOf(GOOD), []);
  assert.equal(faultsOf([OPEN, FIRST, FAILURE, DONE]), []);
  assert.equal(faultsOf([OPEN, FAILURE, DONE]), []);
  const tools = [
    delta({ role: 'assistant', content: null, tool_calls: [CALL] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
  ];
  assert.equal(faultsOf([OPEN, ...tools, delta({}, 'tool_calls'), USAGE, DONE]), []);
  const event = `event: tool_call_dispatch\ndata: ${JSON.stringify({ choice_index: 0, tool_call: CALL })}\n\n`;
  assert.equal(faultsOf([OPEN, ...tools, event, delta({}, 'tool_calls'), USAGE, DONE], { dispatch: true }), []);
  const completion = (members: object) => frame({ object: 'text_completion', ...members });
  const text = completion({ choices: [{ index: 0, text: 'a', finish_reason: null }] });
  const end = completion({ choices: [{ index: 0, text: '', finish_reason: 'stop' }] });
  const usage = completion({ choices: [], usage: { cost: 0 }, honoured: {} });
  assert.equal(faultsOf([OPEN, text, end, usage, DONE], { dialect: 'completions' }), []);
});

it('finds every violation', () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ['no processing comment', GOOD.slice(1)],
    ['another first comment', [': hello\n', ...GOOD.slice(1)]],
    ['a comment with a blank line', [OPEN, '\n', ...GOOD.slice(1)]],
    ['an id line', [OPEN, 'id: 1\n', ...GOOD.slice(1)]],
    ['a retry line', [OPEN, 'retry: 1\n', ...GOOD.slice(1)]],
    ['an unrequested named event', [OPEN, 'event: tool_call_dispatch\ndata: {}\n\n', ...GOOD.slice(1)]],
    ['carriage returns', GOOD.map((piece) => piece.replace('\n\n', '\r\n\r\n'))],
    ['no [DONE]', GOOD.slice(0, -1)],
    ['[DONE] twice', [...GOOD, DONE]],
    ['a frame behind [DONE]', [...GOOD, USAGE]],
    ['a comment behind [DONE]', [...GOOD, ': keep-alive\n']],
    ['an end inside a line', [...GOOD.slice(0, -1), 'data: [DO']],
    ['no blank line at the end', [...GOOD.slice(0, -1), 'data: [DONE]\n']],
    ['two lines of data', [OPEN, FIRST.replace('\n\n', '\n'), NEXT, LAST, USAGE, DONE]],
    ['no JSON', [OPEN, 'data: {\n\n', ...GOOD.slice(1)]],
    ['no usage', [OPEN, FIRST, LAST, DONE]],
    ['usage twice', [OPEN, FIRST, LAST, USAGE, USAGE, DONE]],
    ['usage before the end', [OPEN, FIRST, USAGE, LAST, DONE]],
    ['no finish_reason', [OPEN, FIRST, USAGE, DONE]],
    ['two finish_reasons', [OPEN, FIRST, LAST, LAST, USAGE, DONE]],
    ['no role', [OPEN, delta({ content: 'a' }), LAST, USAGE, DONE]],
    ['two roles', [OPEN, FIRST, FIRST.replace('sim-a:1', 'x1'), LAST, USAGE, DONE]],
    ['a word missing', [OPEN, FIRST, delta({ content: 'x2 ' }), LAST, USAGE, DONE]],
    ['a word twice', [OPEN, FIRST, NEXT, NEXT, LAST, USAGE, DONE]],
    ['another id', [OPEN, FIRST, NEXT.replace('gen-1', 'gen-2'), LAST, USAGE, DONE]],
    ['an error without finish_reason', [OPEN, FIRST, FAILURE.replace('"error"}]', 'null}]'), DONE]],
    ['an error without its type', [OPEN, FIRST, FAILURE.replace('error_type', 'type'), DONE]],
    ['a chunk behind an error', [OPEN, FIRST, FAILURE, NEXT, DONE]],
    ['usage behind an error', [OPEN, FIRST, FAILURE, USAGE, DONE]],
    [
      'a tool without a name',
      [OPEN, delta({ role: 'assistant', tool_calls: [{ index: 0, function: { arguments: '' } }] }), LAST, USAGE, DONE],
    ],
  ];
  for (const [what, pieces] of table) assert.ok(faultsOf(pieces).length > 0, what);
});

it('finds the same for any split of the bytes', () => {
  const text = [...GOOD.slice(0, 3), 'id: 7\n', ...GOOD.slice(3)].join('');
  const whole = StreamJudge.of(text, chat).faults;
  assert.is(whole.length, 1);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 8 }), (cuts) => {
      const judge = new StreamJudge(chat);
      let from = 0;
      for (const cut of [...cuts, text.length].sort((a, b) => a - b)) {
        judge.feed(text.slice(from, cut));
        from = cut;
      }
      assert.equal(judge.end().faults, whole);
    }),
  );
});

it('checks an abandoned stream as far as it went', () => {
  const judge = new StreamJudge(chat);
  judge.feed(OPEN + FIRST + NEXT.slice(0, 20));
  assert.equal(judge.left().faults, []);
  const doubled = new StreamJudge(chat);
  doubled.feed(OPEN + FIRST + NEXT + NEXT);
  assert.is(doubled.left().faults.length, 1);
});

it('checks numbered text', () => {
  for (const text of ['', 'hello', 'sim-a:1 ', 'sim-a:12 x1 x2 ', 'sim-a:1 sees image', 'r1 r2 '])
    assert.ok(isUnbroken(text), text);
  for (const text of ['sim-a:1 x2 ', 'sim-a:1 x1 x1 ', 'sim-a:1 x1 sim-b:1 x1 ', 'r1 r3 '])
    assert.not.ok(isUnbroken(text), text);
});

test.run();
