/** What a caller learns when no endpoint may serve. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import { chatRequest } from '../../../gateway/dialects/chat/request-schema.ts';
import { filterModels } from '../../../gateway/edge/query/filter-models.ts';
import { noEndpoint } from '../../../gateway/routing/no-endpoint.ts';
import type { Rejection } from '../../../gateway/terms/plan.ts';
import { bounded } from '../../support/bounded.ts';
import { board } from '../../support/model/endpoints.ts';
import { readListing } from '../catalogue/read-listing.ts';
import { at, cheap, dear, evidence, refused, turnOf } from './scene.ts';

const it = bounded(test);

const BARE = { supportedParameters: [] };
const THREE: readonly Endpoint[] = [at('a', { ...cheap, ...BARE }), at('b', { ...dear, ...BARE }), at('c', BARE)];
const IMAGE = {
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/x.png' } }] }],
};

const ROWS: readonly (readonly [what: string, body: object, endpoints: readonly Endpoint[], message: string])[] = [
  [
    'a parameter',
    { top_k: 5 },
    THREE,
    'None of the 3 live endpoints of m/one can serve this request: top_k is not declared. Change or leave out top_k. GET /api/v1/models?supported_parameters=top_k lists the models that can.',
  ],
  [
    'an input',
    IMAGE,
    THREE,
    'None of the 3 live endpoints of m/one can serve this request: image is not supported. GET /api/v1/models?input_modalities=image lists the models that can.',
  ],
  [
    'an output',
    { modalities: ['image', 'text'] },
    THREE.slice(0, 1),
    'The one live endpoint of m/one cannot serve this request: image is not supported. GET /api/v1/models?output_modalities=image lists the models that can.',
  ],
  [
    'an unknown provider',
    { provider: { only: ['nobody', 'c'], ignore: ['c'] } },
    THREE,
    'None of the 3 live endpoints of m/one can serve this request: provider.only names nobody, unknown here; the providers here are a, b, c (2); provider.ignore excludes c (1). Change or leave out provider.only or provider.ignore.',
  ],
  [
    'a price',
    { provider: { max_price: { prompt: '0.5' } } },
    THREE,
    'None of the 3 live endpoints of m/one can serve this request: provider.max_price.prompt is 0.5 and the lowest price is 1 USD per million tokens. Change or leave out provider.max_price.prompt.',
  ],
  [
    'a price that nobody declares',
    { provider: { max_price: { completion: '0.5' } } },
    [at('a', { pricing: { prompt: '0' } })],
    'The one live endpoint of m/one cannot serve this request: provider.max_price.completion is 0.5 and no price is declared. Change or leave out provider.max_price.completion.',
  ],
  [
    'several causes',
    { top_k: 5, provider: { ignore: ['b'] } },
    THREE,
    'None of the 3 live endpoints of m/one can serve this request: top_k is not declared (2); provider.ignore excludes b (1). Change or leave out top_k or provider.ignore. GET /api/v1/models?supported_parameters=top_k lists the models that can.',
  ],
  [
    'zero retention',
    { provider: { zdr: true } },
    THREE.slice(0, 1),
    'The one live endpoint of m/one cannot serve this request: provider.zdr admits endpoints of approved zero retention alone. Change or leave out provider.zdr. GET /api/v1/models?zdr=true lists the models that can.',
  ],
];

for (const [what, body, endpoints, message] of ROWS) {
  it(`a 503 says what was asked, of how many endpoints, and what helps: ${what} (rule E6)`, () => {
    const error = refused(body, endpoints);
    assert.is(error.message, message);
    assert.is(error.status, 503);
    assert.is(error.headers['x-should-retry'], 'false', 'no repeat changes what is declared');
  });
}

it('the filter that a message names finds the model that can serve', () => {
  const able = at('able', { id: 'm/able', supportedParameters: ['top_k'] });
  const [, query] = /models\?(\S+)/.exec(refused({ top_k: 5 }, THREE).message) ?? [];
  const found = filterModels(board(...THREE, able), new URLSearchParams(query), 0);
  const { data } = readListing<{ data: readonly { id: string }[] }>(found);
  assert.equal(
    data.map(({ id }) => id),
    ['m/able'],
  );
});

it('the price above a cap is a member of its rejection', () => {
  const { metadata } = refused({ provider: { max_price: { prompt: '0.5' } } }, THREE.slice(0, 1));
  assert.equal(metadata.rejections, [
    {
      ...{ provider: 'a', endpoint: 'a', reason: 'max_price', member: 'provider.max_price.prompt' },
      ...{ detail: '1 is above 0.5', price: '1' },
    },
  ]);
});

it('a 503 that a later check may change can be repeated (rule E5)', () => {
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const body = { tools, stream: true, stream_options: { include_tool_dispatch: true } };
  const unchecked = at('a', {}, evidence({ dispatchVerified: false }));
  const error = refused(body, [unchecked]);
  assert.is(error.status, 503);
  assert.is(error.headers['x-should-retry'], undefined);
});

it('a message is bounded, however much a request names (rule E6)', () => {
  const only = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(200, 'x'));
  const rejections = Array.from({ length: 200 }, (_, n): Rejection => {
    const member = n % 2 ? 'provider.only' : `member${n}`;
    return { provider: `p${n}`, endpoint: `p${n}`, reason: n % 2 ? 'allowed_providers' : 'require_parameters', member };
  });
  const error = noEndpoint(turnOf({ provider: { only } }), rejections);
  assert.ok(error.message.length < 4_000, `${error.message.length} characters`);
  assert.is((error.metadata.rejections as unknown[]).length, 50);
});

it('every member that a message advises to leave out is one of the request', () => {
  const members = new Set(Object.keys(chatRequest.properties));
  for (const [, body, endpoints] of ROWS) {
    const advised = /leave out (.*?)\./.exec(
      refused(body, endpoints).message.replaceAll('provider.', 'provider/'),
    )?.[1];
    for (const member of advised?.split(' or ') ?? []) assert.ok(members.has(member.split('/')[0] as string), member);
  }
});

test.run();
