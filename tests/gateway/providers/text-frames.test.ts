import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TextFrames } from '../../../gateway/providers/text-frames.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test, 30_000);

type Frame = Readonly<Record<string, unknown>>;

function textOfFrame({ text, more }: Frame): string | null {
  return more === undefined && typeof text === 'string' ? text : null;
}

/** What a reader would do: the remembered way where there is one, else the parser. */
function read(frames: TextFrames, data: string): string | null {
  const known = frames.textOf(data);
  if (known !== null) return known;
  const frame = JSON.parse(data) as Frame;
  frames.learn(data, frame);
  return textOfFrame(frame);
}

/** One text in many spellings: escapes of every kind stand for the same characters. */
function spelled(text: string, odd: boolean): string {
  const plain = JSON.stringify(text);
  return odd ? plain.replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`) : plain;
}

it('whatever the texts hold and however they are spelled, they read as the parser reads them', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"', '\\', '","more":1,"x":"', '\n', '\u2028', 'text', '\\u0041', '\u0001probe\u0001', ''),
  );
  const frame = fc.tuple(piece, fc.boolean(), fc.constantFrom('', ' ', ',"a":"b"', ',"more":1', ',"text":"last"'));
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 30 }), (pieces) => {
      const frames = new TextFrames(textOfFrame);
      for (const [text, odd, tail] of pieces) {
        const data = `{"id":"text","text":${spelled(text, odd)}${tail}}`;
        assert.is(read(frames, data), textOfFrame(JSON.parse(data) as Frame), data);
      }
    }),
    { numRuns: 3_000 },
  );
});

it('a frame like the one before is read without the parser, also where its text needs unescaping', () => {
  const frames = new TextFrames(textOfFrame);
  assert.is(frames.textOf('{"text":"a"}'), null);
  frames.learn('{"text":"a"}', { text: 'a' });
  assert.is(frames.textOf('{"text":"b\\n\\u00e9\\"c"}'), 'b\né"c');
  assert.is(frames.textOf('{"text":""}'), '');
});

it('what is no string in the place of the text is left to the parser', () => {
  const frames = new TextFrames(textOfFrame);
  frames.learn('{"text":"a"}', { text: 'a' });
  for (const other of [
    '{"text":"a","more":"b"}',
    '{"text":"a\\"}',
    '{"text":"\n"}',
    '{"text":"\\x"}',
    '{"text":"}',
    '{"text":5}',
  ]) {
    assert.is(frames.textOf(other), null, other);
  }
});

it('a stream whose frames differ elsewhere is given up on after a few lessons', () => {
  let looked = 0;
  const frames = new TextFrames((frame) => {
    looked++;
    return textOfFrame(frame);
  });
  for (let at = 0; at < 1_000; at++) {
    const data = `{"created":${at},"text":"word"}`;
    assert.is(frames.textOf(data), null);
    frames.learn(data, JSON.parse(data) as Frame);
  }
  assert.ok(looked < 20, `${looked} looks`);
});

test.run();
