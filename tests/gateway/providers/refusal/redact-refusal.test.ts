import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { REFUSAL_CHARACTERS_MAX, redactRefusal } from '../../../../gateway/providers/refusal/redact-refusal.ts';
import type { TurnMessage } from '../../../../gateway/terms/turn.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test, 10_000);

const KEY = 'operator-key-0123456789';

/** Redacts a refusal of a request with these texts. */
function redacted(raw: string, texts: readonly string[] = [], keys: readonly string[] = [KEY]): string {
  const messages = texts.map((text): TurnMessage => ({ role: 'user', text }));
  const body = JSON.stringify({ model: 'm', messages: texts.map((content) => ({ role: 'user', content })) });
  return redactRefusal(raw, { body, messages, keys });
}

it('an explanation that quotes nothing stays whole', () => {
  const raw = JSON.stringify({
    error: {
      message: "Invalid schema for function 'get_me': In context=(), object schema missing properties.",
      type: 'invalid_request_error',
      param: 'tools[13].function.parameters',
      code: 'invalid_function_parameters',
    },
    request_id: 'req_011CUB2XUHWkFnQzxcKBbjpF',
  });
  assert.is(redacted(raw, ['hello world, how are you today?']), raw);
});

it('a quoted prompt is masked, wherever and however long it is quoted', () => {
  const prompt = 'My account number is 4711 0815, and my "secret" plan\nis to sell everything before noon tomorrow.';
  for (const quoted of [prompt, prompt.slice(10, 60), prompt.slice(-40), prompt.slice(0, 24)]) {
    for (const raw of [
      JSON.stringify({ error: { message: `the text ${quoted} is not allowed` } }),
      JSON.stringify({ detail: [{ type: 'x', loc: ['body'], msg: 'no', input: quoted }] }),
      JSON.stringify({ error: { message: `first ${quoted}, then ${quoted}` } }),
    ]) {
      const text = redacted(raw, ['hi', prompt]);
      assert.match(text, /\[request\]/);
      const written = JSON.stringify(quoted).slice(1, -1);
      for (let at = 0; at + 24 <= written.length; at++) assert.not.ok(text.includes(written.slice(at, at + 24)), text);
    }
  }
});

it('a short prompt is masked as a whole', () => {
  const text = redacted('{"error":"cannot answer: my pin is 1234"}', ['my pin is 1234']);
  assert.is(text, '{"error":"cannot answer: [request]"}');
});

it("the operator's keys, and whatever has the form of a credential, are masked", () => {
  for (const secret of [
    KEY,
    'sk-proj-abcdefghijklmnop',
    'sk-****************cdef',
    'gsk_abcdefghijklmnop',
    `AIza${'B'.repeat(35)}`,
    'Bearer abc.def-ghi',
    'somebody@example.org',
    'Zm9vYmFy'.repeat(8),
  ]) {
    const text = redacted(`{"error":{"message":"Incorrect API key provided: ${secret}."}}`);
    assert.not.ok(text.includes(secret), text);
    assert.match(text, /Incorrect API key provided: /);
    assert.match(text, /\[key\]/);
  }
});

it('members in which servers repeat the request are masked', () => {
  assert.is(redacted('{"input": "a \\"b\\" c","x":1}'), '{"input":"[request]","x":1}');
  assert.is(redacted('{"flagged_input":"words","input":12}'), '{"flagged_input":"[request]","input":"[request]"}');
});

it('what cannot be compared is withheld, and a refusal is bounded', () => {
  const long = 'x '.repeat(600_000);
  assert.match(redactRefusal('no', { body: null, messages: [], keys: [] }), /^\[withheld/, 'an upload');
  assert.match(redacted(`no: ${long.slice(0, 100)}`, [long]), /^\[withheld/);
  const repeated = 'ab'.repeat(100_000);
  assert.match(redacted(repeated, [repeated]), /^\[withheld|^\[request\]$/);
  assert.ok(redacted('a b '.repeat(50_000)).length <= REFUSAL_CHARACTERS_MAX);
});

test.run();
