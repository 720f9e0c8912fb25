import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { videoTargetOf } from '../../../../gateway/providers/video/video-target.ts';

const TARGET = { dialect: 'video-jobs', baseUrl: 'https://videos.example/v1', upstreamId: 'clip' } as const;

const pairsOf = (headers: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] as string]] : [])));

test('the calls of a render have the key as bearer, or the declared headers, address and form of the key', () => {
  const plain = videoTargetOf(TARGET, 'k');
  assert.is(pairsOf(plain.headers).authorization, 'Bearer k');
  assert.is(plain.url('/videos/1').path, '/v1/videos/1');
  const wire = { headers: { 'x-beta': '1' }, query: { 'api-version': '2' }, credential: 'api-key' } as const;
  const declared = videoTargetOf({ ...TARGET, wire }, 'k');
  const { authorization, ...headers } = pairsOf(declared.headers);
  assert.equal([authorization, headers['x-beta'], headers['api-key']], [undefined, '1', 'k']);
  assert.is(declared.url('/videos/1/content?index=0').path, '/v1/videos/1/content?index=0&api-version=2');
});

test.run();
