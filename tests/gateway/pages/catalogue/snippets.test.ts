import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../../actors/terms/endpoint.ts';
import type { CatalogueModel } from '../../../../gateway/catalogue/models.ts';
import { type Access, firstModel, snippets } from '../../../../gateway/pages/catalogue/snippets.ts';

const BASE = 'http://host/api/v1';

function shown(
  writes: Endpoint['outputModalities'],
  envelopes: Endpoint['envelopes'] = {},
  more: Partial<Access> = {},
): readonly string[] {
  const model = { id: 'a/b', endpoints: [{ outputModalities: writes, envelopes }] } as unknown as CatalogueModel;
  const plain = String(snippets(model, { base: BASE, ...more }))
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'");
  return [...plain.matchAll(/<pre[^>]*>([\s\S]*?)<\/pre>/g)].map(([, text]) => text as string);
}

/** The address and the body of a curl command. */
function called(text: string | undefined): {
  readonly url: string | undefined;
  readonly body: Record<string, unknown>;
} {
  const [, url, body] = /^curl (\S+)[\s\S]*-d '([\s\S]*)'$/.exec(text ?? '') ?? [];
  return { url, body: JSON.parse(body ?? 'null') };
}

test('the request asks for what the model writes', () => {
  const text = called(shown(['text'])[0]);
  assert.equal(text, {
    url: `${BASE}/chat/completions`,
    body: { model: 'a/b', messages: [{ role: 'user', content: 'Hello' }] },
  });
  const painted = called(shown(['text', 'image'])[0]);
  assert.match(painted.url ?? '', /\/images\/generations$/);
  assert.type(painted.body.prompt, 'string');
  const spoken = called(shown(['text', 'audio'], { speech: { voices: ["d'or", 'alto'], formats: ['wav'] } })[0]);
  assert.equal(
    spoken.body.audio,
    { voice: "d'or", format: 'wav' },
    'an apostrophe does not end the argument of the shell',
  );
  const video = called(shown(['video'])[0]);
  assert.equal([video.url, Object.keys(video.body)], [`${BASE}/videos`, ['model', 'prompt']]);
});

test('text and speech come in three languages, what the SDK has no types for as curl alone', () => {
  assert.is(shown(['text']).length, 3);
  assert.is(shown(['text', 'audio'], { speech: { voices: ['alto'], formats: ['wav'] } }).length, 3);
  assert.is(shown(['image']).length, 1);
  assert.is(shown(['video']).length, 1);
  const [, typeScript, python] = shown(['text']);
  assert.match(typeScript as string, '  messages: [{"role": "user", "content": "Hello"}],\n});');
  assert.match(python as string, '    messages=[{"role": "user", "content": "Hello"}],\n)');
});

test('each says how to run it in an empty folder, and has the key that it is given', () => {
  const [, typeScript = '', python = ''] = shown(['text']);
  assert.match(typeScript, /^\/\/ npm install openai, save this as hello\.mjs, then: node hello\.mjs\n/);
  assert.match(python, /^# pip install openai, save this as hello\.py, then: python3 hello\.py\n/);
  for (const text of shown(['text'], {}, { key: 'sk-gw-v1-0' })) {
    assert.match(text, 'sk-gw-v1-0');
    assert.not.match(text, 'OPENAI_API_KEY');
  }
});

const endpoint = (id: string, more: Partial<Endpoint>): [string, never] => [
  id,
  {
    ...{ id, model: id, modelName: id, author: 'a', created: 1, health: 'healthy', outputModalities: ['text'] },
    ...{ supportedParameters: [], inputModalities: ['text'], descriptors: {}, passthrough: {}, inputs: {} },
    ...{
      evidence: { withheld: [] },
      measured: {},
      envelopes: {},
      reasoning: null,
      defaultParameters: {},
      tariff: { id: 't', discount: 0 },
      provider: {},
    },
    ...more,
  } as never,
];

test('the first request names a model that chats, has endpoints that are not down, and costs least', () => {
  const board = new Map([
    endpoint('picture', { outputModalities: ['text', 'image'] }),
    endpoint('down', { health: 'down', tariff: { id: 't', discount: 0, prompt: '0.1' } }),
    endpoint('dear', { tariff: { id: 't', discount: 0, prompt: '2' } }),
    endpoint('cheap', { tariff: { id: 't', discount: 0, prompt: '1' } }),
  ]);
  assert.is(firstModel(board)?.id, 'cheap');
  assert.is(firstModel(new Map()), null);
});

test.run();
