import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../support/bounded.ts';
import { ImagesJudge } from '../support/stream/images-judge.ts';

const it = bounded(test);
const frame = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const PICTURE = { b64_json: 'AAAA', created: 5 };
const OPEN = ': processing\n';
const ONE = frame('image_generation.completed', PICTURE);
const LAST = frame('image_generation.completed', { ...PICTURE, usage: { cost: 1 } });
const ERROR = frame('error', { error: { code: 'x', message: 'x', type: 'x', metadata: { error_type: 'x' } } });

function faultsOf(text: string, size = text.length): readonly string[] {
  const judge = new ImagesJudge();
  for (let at = 0; at < text.length; at += size) judge.feed(text.slice(at, at + size));
  return judge.end().faults;
}

it('streams of pictures and failures are valid, in pieces of any size', () => {
  for (const text of [
    OPEN + LAST,
    OPEN + ONE + LAST,
    `${OPEN}: keep-alive\n${ONE}: keep-alive\n${LAST}`,
    OPEN + ONE + ERROR,
  ]) {
    for (const size of [1, 2, 7, text.length]) assert.equal(faultsOf(text, size), [], `${size}: ${text}`);
  }
});

it('what a client could not read is a fault', () => {
  for (const text of [
    OPEN,
    OPEN + LAST + ONE,
    OPEN + ERROR + ONE,
    `${OPEN}${LAST}data: [DONE]\n\n`,
    `${OPEN}${ONE}\n`,
    OPEN + ONE.slice(0, -1),
    OPEN + frame('image_generation.completed', { created: 5 }),
    OPEN + frame('error', { error: { message: 'x' } }),
    OPEN + frame('other', PICTURE),
    OPEN + ONE.replace('event: image', 'event: picture'),
    `${OPEN}event: image_generation.completed\ndata: {\n\n`,
  ])
    assert.ok(faultsOf(text).length > 0, text);
});

test.run();
