import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse as parseChat } from '../../../../gateway/dialects/chat/parse.ts';
import { imagesDialect, pathOf } from '../../../../gateway/dialects/images/images-dialect.ts';
import { parse } from '../../../../gateway/dialects/images/parse.ts';
import { unreadMembers } from '../../../../gateway/dialects/request/read-members.ts';
import { GatewayError } from '../../../../gateway/terms/gateway-error.ts';
import { bounded } from '../../../support/bounded.ts';
import { thrownBy } from '../../../support/failure-of.ts';

/** rule I100. */
const it = bounded(test);
const BASE = { model: 'a/b', prompt: 'A red fox' };
const PNG = 'iVBORw0KGgo=';

function refusal(body: unknown, session: string | null = null): string {
  const { status, type, message } = thrownBy(() => parse(body, session), GatewayError);
  assert.equal([status, type], [400, 'invalid_request']);
  return message;
}

it('a prompt is a turn of one user message that asks for one picture', () => {
  assert.equal(parse(BASE), {
    kind: 'picture',
    models: ['a/b'],
    messages: [{ role: 'user', text: 'A red fox' }],
    stream: false,
    sampling: {},
    modalities: { input: [], output: ['image'] },
    imageConfig: { n: 1 },
    preferences: { allowFallbacks: true },
  });
});

const SETTINGS = {
  n: 3,
  resolution: '2K',
  aspect_ratio: '16:9',
  size: '1536x1024',
  quality: 'hd',
  output_format: 'webp',
  background: 'transparent',
  output_compression: 0,
  seed: -1,
};

it('every member reaches the turn', () => {
  const turn = parse(
    {
      ...BASE,
      ...SETTINGS,
      models: ['c/d:floor', 'a/b'],
      stream: true,
      user: 'u',
      provider: { only: ['p'], sort: 'price', options: { p: { style: 'ink' } } },
      route: 'sort',
      input_references: [
        { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ],
      session_id: 'own',
      response_format: 'b64_json',
      partial_images: 3,
    },
    'header',
  );
  assert.equal(turn, {
    kind: 'picture',
    models: ['a/b', 'c/d:floor'],
    messages: [
      {
        role: 'user',
        text: 'A red fox',
        parts: [
          { type: 'text', text: 'A red fox' },
          { type: 'image', source: { kind: 'url', url: 'https://pictures.example/a.png' } },
          { type: 'image', source: { kind: 'data', mediaType: 'image/png', base64: PNG } },
        ],
      },
    ],
    stream: true,
    sampling: {},
    modalities: { input: ['image'], output: ['image'] },
    imageConfig: SETTINGS,
    preferences: {
      allowFallbacks: true,
      only: ['p'],
      sort: 'price',
      options: { p: { style: 'ink' } },
      partition: 'none',
    },
    user: 'u',
    conversation: 'own',
  });
  assert.is(parse(BASE, 'header').conversation, 'header');
});

it('apart from the required picture it is the turn of a chat request with image_config (rule I100)', () => {
  const { kind, ...turn } = parse({ ...BASE, ...SETTINGS });
  const messages = [{ role: 'user', content: BASE.prompt }];
  const chat = { model: 'a/b', messages, modalities: ['image'], image_config: SETTINGS };
  assert.is(kind, 'picture');
  assert.equal({ ...turn, kind: 'conversation' }, parseChat(chat));
});

it('null at every optional member counts as absent, an empty list of references too', () => {
  const names = `models stream user provider route input_references session_id response_format partial_images ${Object.keys(SETTINGS).join(' ')}`;
  const nulls = Object.fromEntries(names.split(' ').map((name) => [name, null]));
  assert.equal(parse({ ...nulls, ...BASE }), parse(BASE));
  assert.equal(parse({ ...BASE, input_references: [] }), parse(BASE));
});

const reference = (url: unknown, type = 'image_url'): object => ({ type, image_url: { url } });

const REFUSED: readonly (readonly [unknown, RegExp])[] = [
  [null, /^The request body must be a JSON object$/],
  [[BASE], /^The request body must be a JSON object$/],
  [{ prompt: 'x' }, /^model is required$/],
  [{ model: 'a/b' }, /^prompt is required$/],
  [{ ...BASE, prompt: null }, /^prompt must be a string$/],
  [{ ...BASE, prompt: '' }, /^prompt must not be empty$/],
  [{ ...BASE, prompt: ['x'] }, /^prompt must be a string$/],
  [{ ...BASE, model: 'a/b:online' }, /:online is not supported$/],
  [{ ...BASE, n: 0 }, /^n must be at least 1$/],
  [{ ...BASE, n: 11 }, /^n must be at most 10$/],
  [{ ...BASE, n: 1.5 }, /^n must be an integer$/],
  [{ ...BASE, size: 1024 }, /^size must be a string$/],
  [{ ...BASE, size: '' }, /^size must not be empty$/],
  [{ ...BASE, resolution: 2 }, /^resolution must be a string$/],
  [{ ...BASE, aspect_ratio: [16, 9] }, /^aspect_ratio must be a string$/],
  [{ ...BASE, quality: 'x'.repeat(65) }, /^quality must have at most 64 characters$/],
  [{ ...BASE, background: true }, /^background must be a string$/],
  [{ ...BASE, output_format: 5 }, /^output_format must be a string$/],
  [{ ...BASE, output_compression: 101 }, /^output_compression must be at most 100$/],
  [{ ...BASE, seed: 'x' }, /^seed must be an integer$/],
  [{ ...BASE, stream: 'true' }, /^stream must be a boolean$/],
  [{ ...BASE, response_format: 'url' }, /^response_format must be/],
  [{ ...BASE, partial_images: 4 }, /^partial_images must be at most 3$/],
  [{ ...BASE, session_id: 'x'.repeat(257) }, /^session_id must have at most 256 characters$/],
  [{ ...BASE, user: 5 }, /^user must be a string$/],
  [{ ...BASE, provider: { sort: 5 } }, /^provider\.sort must be/],
  [{ ...BASE, input_references: 'x' }, /^input_references must be an array$/],
  [{ ...BASE, input_references: Array(17).fill(reference('https://a.b/c')) }, /^input_references must have at most 16/],
  [{ ...BASE, input_references: [reference('https://a.b/c', 'file')] }, /^input_references\[0\]\.type must be/],
  [{ ...BASE, input_references: [reference('')] }, /^input_references\[0\]\.image_url\.url must not be empty$/],
  [
    { ...BASE, input_references: [reference('https://a.b/c'), reference('ftp://a.b/c')] },
    /^input_references\[1\]\.image_url\.url must be an https:, http: or data: URL$/,
  ],
  [
    { ...BASE, input_references: [reference('data:image/png;base64,A')] },
    /^input_references\[0\]\.image_url\.url must hold base64/,
  ],
];

for (const [body, message] of REFUSED) {
  it(`400 names the member: ${JSON.stringify(body)?.slice(0, 70)}`, () => assert.match(refusal(body), message));
}

it('a session header that is too long is refused (rule I4)', () => {
  assert.is(refusal(BASE, 'x'.repeat(257)), 'X-Session-Id must have at most 256 characters');
});

it('members of OpenAI without a counterpart are unread, and reported as such', () => {
  const body = { ...BASE, style: 'vivid', moderation: 'low', n: 1, stream: false };
  assert.equal(unreadMembers(imagesDialect.members, body), ['style', 'moderation']);
  assert.equal(parse(body), parse(BASE));
});

it('a path of the chat request that a provider received is told as the path of this request', () => {
  const rows: readonly (readonly [string, string | null])[] = [
    ['image_config.size', 'size'],
    ['image_config.n', 'n'],
    ['messages[0].content', 'prompt'],
    ['messages[0].content[0].text', 'prompt'],
    ['messages[0].content[1].image_url.url', 'input_references[0].image_url.url'],
    ['messages[0].content[3]', 'input_references[2]'],
    ['messages', 'prompt'],
    ['user', 'user'],
    ['modalities', null],
    ['temperature', null],
    ['toString', null],
  ];
  for (const [path, own] of rows) assert.is(pathOf(path), own, path);
});

test.run();
