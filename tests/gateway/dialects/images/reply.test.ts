import { createParser } from 'eventsource-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ImagesFrames } from '../../../../gateway/dialects/images/frames.ts';
import { render } from '../../../../gateway/dialects/images/images-dialect.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import type { TurnEvent } from '../../../../gateway/terms/turn-event.ts';
import { bounded } from '../../../support/bounded.ts';

/** rule I101. */
const it = bounded(test);
const HEAD = { id: 'gen-1', created: 1_750_000_000, model: 'a/b', provider: 'P "x"' };
const CLOSING = {
  usage: { promptTokens: 5, completionTokens: 2, imageTokens: 1 },
  cost: '0.0000123',
  honoured: { image_config: true },
};
const USAGE = {
  ...{ input_tokens: 5, output_tokens: 2, prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  completion_tokens_details: { image_tokens: 1 },
  cost: 0.0000123,
};
const FINISH: TurnEvent = { type: 'finish', reason: 'stop', native: null };
const WORDS: TurnEvent = { type: 'text-delta', text: 'Here it is' };
const image = (url: string, index = 0): TurnEvent => ({ type: 'image', url, index });
const PNG = image('data:image/png;base64,AAAA');
const JPEG = image('data:image/jpg;base64,BBBB', 1);

type Members = Readonly<Record<string, unknown>>;

function read(text: string): { readonly name: string | undefined; readonly data: Members }[] {
  const events: { name: string | undefined; data: Members }[] = [];
  createParser({ onEvent: ({ event, data }) => events.push({ name: event, data: JSON.parse(data) }) }).feed(text);
  return events;
}

it('a whole reply has the pictures, usage under both names and the cost, and nothing else of the answer (rule I101)', () => {
  assert.equal(JSON.parse(render(HEAD, [WORDS, PNG, JPEG, FINISH], CLOSING)), {
    id: 'gen-1',
    created: 1_750_000_000,
    model: 'a/b',
    provider: 'P "x"',
    data: [
      { b64_json: 'AAAA', media_type: 'image/png' },
      { b64_json: 'BBBB', media_type: 'image/jpeg' },
    ],
    usage: USAGE,
  });
  assert.not.ok('usage' in JSON.parse(render(HEAD, [PNG], null)));
});

it('counts that were not reported are absent from usage (rule I101)', () => {
  const closing = { usage: { completionTokens: 2 }, cost: '0', honoured: {} };
  assert.equal(JSON.parse(render(HEAD, [PNG], closing)).usage, { output_tokens: 2, completion_tokens: 2, cost: 0 });
});

it('a picture that is no base64 data: URL is passed on as its url', () => {
  const rows: readonly (readonly [string, Members])[] = [
    ['https://a.b/c.png?x="y"', { url: 'https://a.b/c.png?x="y"' }],
    ['data:image/svg+xml,<svg/>', { url: 'data:image/svg+xml,<svg/>' }],
    ['DATA:image/PNG;BASE64,AA==', { b64_json: 'AA==', media_type: 'image/png' }],
    ['data:;base64,AAAA', { b64_json: 'AAAA' }],
    ['data:image/png;x="y";base64,A"\\\n', { b64_json: 'A"\\\n', media_type: 'image/png' }],
    ['', { url: '' }],
    [`https://a.b/${'c'.repeat(300)},base64`, { url: `https://a.b/${'c'.repeat(300)},base64` }],
  ];
  for (const [url, members] of rows) assert.equal(JSON.parse(render(HEAD, [image(url)], null)).data, [members], url);
});

const completed = (members: Members): { name: string; data: Members } => ({
  name: 'image_generation.completed',
  data: { type: 'image_generation.completed', ...members, created: HEAD.created, created_at: HEAD.created },
});
const DRAWN_PNG = completed({ b64_json: 'AAAA', media_type: 'image/png', output_format: 'png' });
const DRAWN_JPEG = completed({ b64_json: 'BBBB', media_type: 'image/jpeg', output_format: 'jpeg' });

it('a stream has one event a picture, as soon as the next one arrives; the last has the usage of them all (rule I102)', () => {
  const frames = new ImagesFrames(HEAD);
  assert.is(frames.of([WORDS]), '');
  assert.is(frames.of([PNG]), '');
  assert.equal(read(frames.of([JPEG])), [DRAWN_PNG]);
  assert.is(frames.of([FINISH]), '');
  assert.equal(read(frames.end(CLOSING)), [{ ...DRAWN_JPEG, data: { ...DRAWN_JPEG.data, usage: USAGE } }]);
});

it('without a recorded charge the last picture is sent without usage', () => {
  const frames = new ImagesFrames(HEAD);
  frames.of([PNG, FINISH]);
  assert.equal(read(frames.end(null)), [DRAWN_PNG]);
});

it('a picture by address has its url in the event, and no format', () => {
  const frames = new ImagesFrames(HEAD);
  frames.of([image('https://a.b/c')]);
  assert.equal(read(frames.end(null)), [completed({ url: 'https://a.b/c' })]);
});

it('a failure is an error event behind the pictures that arrived, and the end', () => {
  const error = new GatewayError({
    ...{ status: 502, type: 'provider_unavailable', message: 'no', detail: 'secret' },
    metadata: { provider_name: 'P' },
  });
  const failed = {
    name: 'error',
    data: {
      type: 'error',
      error: {
        ...{ code: 'provider_unavailable', message: 'no', param: null, type: 'provider_unavailable' },
        metadata: { provider_name: 'P', error_type: 'provider_unavailable', status: 502 },
      },
    },
  };
  const frames = new ImagesFrames(HEAD);
  assert.equal(read(frames.of([PNG, { type: 'error', error }])), [DRAWN_PNG, failed]);
  assert.is(frames.end(null), '');
  assert.equal(read(new ImagesFrames(HEAD).of([{ type: 'error', error }])), [failed]);
});

it('streamed pictures are those of the whole reply (rule I50)', () => {
  const events = [PNG, WORDS, JPEG, image('https://a.b/c', 2), FINISH];
  const frames = new ImagesFrames(HEAD);
  const text = events.map((event) => frames.of([event])).join('') + frames.end(CLOSING);
  const streamed = read(text).map(
    ({ data: { type: _, created: __, created_at: ___, output_format: ____, ...rest } }) => rest,
  );
  const { data, usage } = JSON.parse(render(HEAD, events, CLOSING)) as { data: Members[]; usage: Members };
  assert.equal(streamed, [...data.slice(0, -1), { ...data.at(-1), usage }]);
});

test.run();
