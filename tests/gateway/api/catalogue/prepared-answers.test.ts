import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PreparedAnswers } from '../../../../gateway/api/catalogue/prepared-answers.ts';
import { entryOf, type Listing } from '../../../../gateway/catalogue/listing.ts';
import type { RouteAnswer } from '../../../../gateway/http/write-answer.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

function listing(count: number, name = 'model'): Listing {
  const entries = Array.from({ length: count }, (_, nth) => entryOf({ id: `${name}-${nth}`, text: 'x'.repeat(100) }));
  return { before: '{"data":[', entries, after: ']}' };
}

const request = (headers: Readonly<Record<string, string>> = {}) => ({ headers }) as unknown as IncomingMessage;
const header = ({ headers = [] }: RouteAnswer, name: string): string | undefined =>
  headers[headers.indexOf(name) + 1 || headers.length];

it('an answer is named by its content: equal content has an equal tag, and a held tag is answered 304', async () => {
  const answers = new PreparedAnswers();
  const first = await answers.answer(request(), listing(40), 'public, max-age=30');
  const tag = header(first, 'etag') as string;
  assert.match(tag, /^W\/"[\w-]{22}"$/);
  assert.is(header(first, 'cache-control'), 'public, max-age=30');
  assert.is(header(first, 'vary'), 'accept-encoding, origin');
  assert.is(header(await answers.answer(request(), listing(40), 'x'), 'etag'), tag);
  assert.is.not(header(await answers.answer(request(), listing(41), 'x'), 'etag'), tag);
  for (const held of [tag, `"other", ${tag}`, tag.slice(2), '*']) {
    const answer = await answers.answer(request({ 'if-none-match': held }), listing(40), 'x');
    assert.equal([answer.status, answer.body, header(answer, 'etag')], [304, '', tag]);
  }
  const stale = await answers.answer(request({ 'if-none-match': 'W/"other"' }), listing(40), 'x');
  assert.is(stale.status, undefined);
});

it('gzip is used where the client accepts it, once for all of them, and never for an answer of one packet', async () => {
  const answers = new PreparedAnswers();
  const plain = await answers.answer(request({ 'accept-encoding': 'br' }), listing(40), 'x');
  const zipped = await answers.answer(request({ 'accept-encoding': 'br, gzip;q=0.5' }), listing(40), 'x');
  assert.is(header(zipped, 'content-encoding'), 'gzip');
  assert.equal(gunzipSync(zipped.body as Buffer), plain.body);
  assert.is(header(zipped, 'etag'), header(plain, 'etag'));
  const again = await answers.answer(request({ 'accept-encoding': '*' }), listing(40), 'x');
  assert.is(again.body, zipped.body, 'the same bytes, not compressed again');
  for (const refused of ['gzip;q=0', 'gzip;q=0, *', 'identity', '*;q=0']) {
    const answer = await answers.answer(request({ 'accept-encoding': refused }), listing(40), 'x');
    assert.is(header(answer, 'content-encoding'), undefined, refused);
  }
  const small = await answers.answer(request({ 'accept-encoding': 'gzip' }), listing(2), 'x');
  assert.is(header(small, 'content-encoding'), undefined);
});

it('at most two answers are compressed at once; the next goes out as it is', async () => {
  const answers = new PreparedAnswers();
  const accepting = request({ 'accept-encoding': 'gzip' });
  const all = ['a', 'b', 'c', 'a'].map((name) => answers.answer(accepting, listing(2_000, name), 'x'));
  const encodings = (await Promise.all(all)).map((answer) => header(answer, 'content-encoding'));
  assert.equal(encodings, ['gzip', 'gzip', undefined, 'gzip']);
  const later = await answers.answer(accepting, listing(2_000, 'c'), 'x');
  assert.is(header(later, 'content-encoding'), 'gzip');
});

test.run();
