import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { say } from '../../support/provider/say.ts';
import { type Answer, HELLO, openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

/** Bodies and queries that are expensive, pollute prototypes, or are ambiguous. */
const it = bounded(test);

const { cluster, ask } = await openApi(test, openCluster, '100');

const post = (body: string, route = '/chat/completions'): Promise<Answer> => ask(route, { body });

const HEAD = `"model":"sim/fast","messages":${JSON.stringify(HELLO)}`;
const chat = (members: object): string => JSON.stringify({ model: 'sim/fast', messages: HELLO, ...members });
const raw = (members: string): string => `{${HEAD},${members}}`;
const part = (type: string, value: object): string =>
  chat({ messages: [{ role: 'user', content: [{ type, [type]: value }] }] });
const tool = (name: string, parameters: object = {}): object => ({ type: 'function', function: { name, parameters } });
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

const REFUSED: readonly (readonly [string, () => string, number?])[] = [
  ['a nesting of 65', () => raw(`"x":${nested(65)}`)],
  ['a nesting of 4,000,000', () => '['.repeat(4_000_000)],
  ['two million empty arrays', () => raw(`"x":[${'[],'.repeat(2_000_000)}0]`)],
  ['400,000 names', () => raw(Array.from({ length: 400_000 }, (_, i) => `"k${i}":1`).join(','))],
  ['a number of 10 MB', () => raw(`"x":${'1'.repeat(10_000_000)}`), 413],
  ['a number out of range', () => raw('"seed":1e400')],
  ['a temperature out of range', () => raw('"temperature":1e400')],
  ['a name twice', () => raw('"stream":false,"stream":true')],
  ['half a surrogate', () => raw('"user":"\\ud800"')],
  ['half a surrogate in a message', () => '{"model":"sim/fast","messages":[{"role":"user","content":"\\udfff"}]}'],
  ['a prototype as the body', () => '{"__proto__":{"model":"sim/fast"}}'],
  ['a model from the prototype', () => '{"__proto__":{"model":"sim/fast"},"messages":[{"role":"user","content":"a"}]}'],
  ['a bias that is not a number', () => raw('"logit_bias":{"__proto__":"x"}')],
  ['a ceiling beyond its range', () => chat({ max_tokens: 1_048_577 })],
  ['a ceiling of 1e21', () => raw('"max_tokens":1e21')],
  ['a ceiling of zero', () => chat({ max_completion_tokens: 0 })],
  ['half a token', () => chat({ max_tokens: 1.5 })],
  ['1537 tools', () => chat({ tools: Array.from({ length: 1_537 }, (_, i) => tool(`t${i}`)) })],
  ['a tool without a proper name', () => chat({ tools: [tool('a b')] })],
  ['nine stops', () => chat({ stop: Array(9).fill('a') })],
  ['21 models', () => chat({ models: Array(21).fill('sim/fast') })],
  ['two answers', () => chat({ n: 2 })],
  ['257 characters of user', () => chat({ user: 'u'.repeat(257) })],
  ['base64 with an invalid character', () => part('image_url', { url: 'data:image/png;base64,iVBO!Rw0' })],
  ['base64 of an invalid length', () => part('image_url', { url: 'data:image/png;base64,iVBOR' })],
  ['audio that is not base64', () => part('input_audio', { data: 'not base64', format: 'wav' })],
  ['a data URL of nothing', () => part('image_url', { url: 'data:' })],
  ['an address of another scheme', () => part('image_url', { url: 'javascript:alert(1)' })],
  ['a file of this machine', () => part('image_url', { url: 'file:///etc/passwd' })],
];

it('refuses every hostile body with its 400, and keeps serving (rule I27, rule E33)', async () => {
  for (const [what, body, status = 400] of REFUSED) {
    const answer = await post(body());
    assert.is(answer.status, status, `${what}: ${answer.text.slice(0, 300)}`);
  }
  assert.is((await post(chat({}))).status, 200);
});

it('1,536 tools of a usual size are judged by their tokens, and the refusal of a structure names its bound', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`setting_${at}`, { type: 'string', description: 'One of many.' }]),
  );
  const tools = Array.from({ length: 1_536 }, (_, at) => tool(`t${at}`, { type: 'object', properties }));
  const body = JSON.stringify({ model: 'sim/tools', messages: HELLO, tools });
  assert.ok(body.length > 3_400_000 && body.length < 8 * 1024 * 1024, String(body.length));
  const answer = await post(body);
  assert.is(answer.status, 400);
  const { error } = JSON.parse(answer.text) as { error: { message: string; metadata: { error_type: string } } };
  assert.is(error.metadata.error_type, 'context_length_exceeded', error.message);
  assert.match((await post(raw(`"x":${nested(65)}`))).text, /more than 64 levels/);
  assert.match((await post(raw(`"x":[${'[],'.repeat(300_000)}0]`))).text, /more than 600000 .* outside JSON schemas/);
});

it('prototype names are plain data in every position (rule E35)', async () => {
  const names = ['"__proto__":{"polluted":1}', '"constructor":{"prototype":{"polluted":1}}', '"toString":1'];
  const inside = (wrap: (names: string) => string): string => raw(wrap(names.join(',')));
  const bodies = [
    inside((all) => all),
    inside((all) => `"metadata":{${all}}`),
    inside((all) => `"provider":{"options":{${all}}}`),
    inside((all) => `"tools":[{"type":"function","function":{"name":"f","parameters":{${all}}}}]`),
    inside((all) => `"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{${all}}}}`),
  ];
  for (const body of bodies) assert.ok((await post(body)).status < 500 || (await post(body)).status === 503, body);
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
  assert.type({}.toString, 'function');
});

it('a schema or pattern of a client is passed on, never compiled or run (rule E36)', async () => {
  const evil = {
    type: 'string',
    pattern: '^(a+)+$',
    format: 'x',
    $ref: '#/definitions/none',
    const: 'a'.repeat(50_000),
  };
  const parameters = { type: 'object', properties: { a: evil }, required: ['b'], additionalProperties: 'no schema' };
  const body = { model: 'sim/tools', messages: say({ id: 'schema' }), tools: [tool('weather', parameters)] };
  const answer = await post(JSON.stringify(body));
  assert.is(answer.status, 200, answer.text);
  const sent = cluster.simulators.flatMap(({ calls }) => calls.filter(({ id }) => id === 'schema'))[0]?.body.tools;
  assert.equal((sent as unknown as { function: { parameters: object } }[])[0]?.function.parameters, parameters);
});

it('a query is compared as text, and its numbers are whole numbers in range (rule E38)', async () => {
  for (const value of ['0', '-1', '1e3', '0x10', 'NaN', '1.5', '', '9'.repeat(40)])
    assert.is((await ask(`/models?limit=${value}`)).status, 400, value);
  assert.is((await ask('/models?offset=-1')).status, 400);
  assert.is((await ask('/models?limit=1&limit=2')).status, 400);
  assert.is((await ask(`/models?q=${'a'.repeat(15_000)}`)).status, 200);
  for (const q of ['%25', '_', "' OR 1=1 --", '"; DROP TABLE actors', '[a-z]*', '\\', '.*', '(a+)+$']) {
    const answer = await ask(`/models?q=${encodeURIComponent(q).replace('%2525', '%25')}`);
    assert.equal((JSON.parse(answer.text) as { data: unknown[] }).data, [], q);
  }
  for (const id of ["gen-' OR '1'='1", 'gen-%', 'gen-_', `gen-${'a'.repeat(10_000)}`, 'account:acct_1', '../../../key'])
    assert.is((await ask(`/generation?id=${encodeURIComponent(id)}`)).status, 404, id);
});

it('a part is passed on as its declared media type to endpoints that accept it; its contents are never run or fetched (rule I40)', async () => {
  let fetched = 0;
  const bait = createServer((socket) => {
    fetched++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve));
  const address = bait.address();
  const lure = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/x`;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const entity = `<!DOCTYPE svg [<!ENTITY x SYSTEM "${lure}">]>`;
  const svg = base64(`${entity}<svg xmlns="http://www.w3.org/2000/svg" onload="x()"><image href="${lure}"/>&x;</svg>`);
  const gif = base64(`GIF89a/*\u0001\u0000*/=1;fetch("${lure}")//<script src="${lure}"></script>`);
  const see = (url: string, id: string): Promise<Answer> => {
    const text = say({ id })[0]?.content;
    const content = [
      { type: 'text', text },
      { type: 'image_url', image_url: { url } },
    ];
    return post(JSON.stringify({ model: 'sim/vision', messages: [{ role: 'user', content }] }));
  };
  const rows: readonly (readonly [string, string, number, RegExp])[] = [
    ['an SVG', `data:image/svg+xml;base64,${svg}`, 503, /image as image\/svg\+xml is not supported/],
    ['a page', `data:text/html;base64,${gif}`, 503, /image as text\/html is not supported/],
    ['no container', `data:;base64,${gif}`, 503, /image as bytes without a media type is not supported/],
    [
      'two containers',
      `data:image/png,image/svg+xml;base64,${svg}`,
      400,
      /content\[1\]\.image_url\.url must be a data: URL/,
    ],
    [
      'an SVG in clear',
      `data:image/svg+xml,<svg onload="x()"/>`,
      400,
      /content\[1\]\.image_url\.url must be a data: URL/,
    ],
    ['no type at all', `data:image/;base64,${svg}`, 400, /malformed media type/],
    ['a type that ends a header', `data:image/png\r\nx: y;base64,${svg}`, 400, /malformed media type/],
  ];
  for (const [what, url, status, expected] of rows) {
    const answer = await see(url, 'polyglot-refused');
    assert.is(answer.status, status, `${what}: ${answer.text}`);
    assert.match(answer.text, expected, what);
  }
  // Bytes that differ from their declared type are not inspected: they are passed on unchanged.
  for (const [id, bytes] of [
    ['svg', svg],
    ['gif', gif],
  ] as const) {
    const url = `data:IMAGE/png;base64,${bytes}`;
    assert.is((await see(url, `polyglot-${id}`)).status, 200);
    const calls = cluster.simulators.flatMap(({ calls }) => calls.filter((call) => call.id === `polyglot-${id}`));
    assert.is(calls.length, 1);
    assert.match(
      JSON.stringify(calls[0]?.body),
      new RegExp(`data:image/png;base64,${bytes.replaceAll('+', '\\+')}`, 'i'),
    );
  }
  assert.equal(
    cluster.simulators.flatMap(({ calls }) => calls.filter(({ id }) => id === 'polyglot-refused')),
    [],
  );
  assert.is(fetched, 0, 'no address in a part was fetched');
  bait.close();
});

it('a part that its message cannot hold is refused by the name of its type, with the accepted types', async () => {
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
  for (const role of ['system', 'developer', 'assistant']) {
    const answer = await post(chat({ messages: [{ role, content: [image] }] }));
    assert.is(answer.status, 400);
    const { message } = (JSON.parse(answer.text) as { error: { message: string } }).error;
    assert.is(message, 'messages[0].content[0].type must be "text", not "image_url"', role);
  }
});

test.run();
