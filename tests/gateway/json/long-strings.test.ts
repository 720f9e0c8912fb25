import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { JsonReader } from '../../../gateway/json/json-reader.ts';
import { GatewayError } from '../../../gateway/terms/gateway-error.ts';
import { LongText } from '../../../gateway/terms/long-text.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

/** A reply with this text as the speech, read in pieces of this length. */
function readSpeech(json: string, length: number): unknown {
  const longStrings = [['choices', '*', 'message', 'audio', 'data']];
  const reader = new JsonReader({ isLenient: true, longStrings });
  const bytes = Buffer.from(`{"choices":[{"message":{"audio":{"id":"a","data":${json}},"text":${json}}}]}`);
  for (let at = 0; at < bytes.length; at += length) reader.feed(bytes.subarray(at, at + length));
  const { choices } = reader.end() as { choices: [{ message: { audio: { data: unknown }; text: unknown } }] };
  // The buffers that were read are not the reader's.
  bytes.fill('"');
  const [{ message }] = choices;
  assert.type(message.text, 'string', 'a text elsewhere stays a string');
  return message.audio.data;
}

it('a long string at a named place keeps its bytes, wherever it is cut', () => {
  const odd = 'ü"\\\n\u0000🎉/'.repeat(400);
  const escaped = JSON.stringify('ü🎉/'.repeat(700)).replaceAll('🎉', '\\ud83c\\udf89').replaceAll('/', '\\/');
  for (const json of [JSON.stringify(odd), escaped, JSON.stringify('QUJD'.repeat(900))]) {
    for (const length of [1, 7, 100, 1_000, 3_000]) {
      const data = readSpeech(json, length);
      assert.instance(data, LongText);
      const { head, rest } = data as LongText;
      assert.is(String(data), JSON.parse(json));
      assert.is((data as LongText).length, String(data).length);
      assert.is(JSON.parse(`"${JSON.stringify(head).slice(1, -1)}${Buffer.concat(rest)}"`), String(data));
      assert.is((data as LongText).isBase64, json.includes('QUJD'));
      for (const [from, to] of [
        [0, 10],
        [500, 2_600],
        [2_000, 1e9],
      ] as const)
        assert.is((data as LongText).slice(from, to), String(data).slice(from, to));
      assert.is(String((data as LongText).startingWith('ab')), `ab${data}`);
    }
  }
  assert.type(readSpeech('"short"', 3), 'string');
  assert.type(readSpeech(JSON.stringify('a'.repeat(4_000)), 1_000_000), 'string');
});

it('only padding at its end keeps a long string base64', () => {
  const text = 'QUJD'.repeat(900);
  const isBase64 = (json: string): boolean => (readSpeech(JSON.stringify(json), 1_000) as LongText).isBase64;
  for (let length = 350; length < 360; length++) {
    const data = readSpeech(JSON.stringify(`${text}QQ==`), length) as LongText;
    assert.ok(data.isBase64 && String(data) === `${text}QQ==`, `cut every ${length} bytes`);
    assert.ok(data.rest.every((piece) => piece.length > 0));
  }
  assert.ok((readSpeech(JSON.stringify(`${text}QQ==`), 1) as LongText).isBase64);
  assert.equal(
    [`${text}QQ==`, `${text}QUI=`, `=${text}`, `${text}=${text}`, `${text}===`, `${text}-`, `${text} `].map(isBase64),
    [true, true, false, false, false, false, false],
  );
});

it('a long string is refused as any other', () => {
  for (const bad of ['\u0001', '\\x', '\\u1z', '']) {
    const json = `"${'a'.repeat(3_000)}${bad}${bad === '' ? '' : `${'a'.repeat(3_000)}"`}`;
    assert.throws(
      () => readSpeech(json, 1_000),
      (thrown: unknown) => thrown instanceof GatewayError,
      bad,
    );
  }
});

test.run();
