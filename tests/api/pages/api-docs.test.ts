/** The API page: how to start, and every operation of the OpenAPI document with all that the document says of it. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OPERATIONS } from '../../../gateway/api/api-routes.ts';
import { openApiDocument } from '../../../gateway/api/wire/openapi-document.ts';
import { exampleBody } from '../../../gateway/pages/api-docs/example-body.ts';
import { type PublishedOperation, publishedApi, type Schema } from '../../../gateway/pages/api-docs/published.ts';
import { bounded } from '../../support/bounded.ts';
import { closeBrowser, give, LOOKS, openContext, overflow, screenshot } from '../../support/browser.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { openCluster } from './cluster.ts';
import { originOf, Visitor } from './visitor.ts';

const it = bounded(test, 120_000);
const INDEX = '/api/v1/docs';

let cluster: TestCluster;
let origin: string;
let visitor: Visitor;

test.before(async () => {
  cluster = await openCluster();
  origin = originOf(cluster);
  visitor = new Visitor(origin);
});
test.after(async () => {
  await closeBrowser();
  await cluster.close();
});

/** What a reader sees, each run of spaces as one. */
function words(page: string): string {
  const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(page) ?? [];
  const plain = main
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`');
  return plain.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').replaceAll(/\s+/g, ' ');
}

it('the page begins with the address, the credential, a request, streams and what to retry; then it lists operations', async () => {
  const { status, text } = await visitor.get(INDEX);
  assert.is(status, 200);
  const order = ['Base address', 'Credential', 'First request', 'Streaming', 'Errors, and what to retry', 'Operations'];
  const places = order.map((title) => text.indexOf(`>${title}</h2>`));
  assert.equal(
    places,
    [...places].sort((a, b) => a - b),
  );
  assert.ok(
    places.every((place) => place > 0),
    places.join(),
  );
  const read = words(text);
  for (const part of [
    `${origin}/api/v1`,
    'Authorization: Bearer',
    'x-api-key',
    '"stream": true',
    '[DONE]',
    'Retry-After',
  ]) {
    assert.match(read, part);
  }
  for (const status of ['401', '402', '429', '502', '503']) assert.match(read, ` ${status} `);
});

it('the pasted stream answers as the page says: chunks, the usage in the last one, then the end', async () => {
  const { key } = await cluster.fund('1');
  const command =
    /<pre[^>]*id="stream-command"[^>]*>([\s\S]*?)<\/pre>/.exec((await visitor.get(INDEX)).text)?.[1] ?? '';
  const plain = command.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
  const [, url = '', body = ''] = /^curl (\S+)[\s\S]*-d '([\s\S]*)'$/.exec(plain) ?? [];
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body });
  const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '));
  assert.is(lines.at(-1), 'data: [DONE]');
  assert.match(lines.at(-2) ?? '', '"usage"');
});

it('every operation has its page, with each parameter, each member of its schemas and each answer', async () => {
  const { operations } = publishedApi(openApiDocument(OPERATIONS));
  assert.ok(operations.length > 90);
  const index = (await visitor.get(INDEX)).text;
  for (const operation of operations) {
    const path = `${INDEX}/${operation.operationId}`;
    assert.match(index, `href="${path}"`);
    const { status, text } = await visitor.get(path);
    assert.is(status, 200, path);
    const read = words(text);
    for (const part of partsOf(operation)) assert.ok(read.includes(part), `${path} lacks ${part}`);
  }
  assert.is((await visitor.get(`${INDEX}/getNothing`)).headers.get('location'), INDEX);
});

/** All that the document says of an operation, in words. */
function partsOf(operation: PublishedOperation): readonly string[] {
  const { resolve } = publishedApi(openApiDocument(OPERATIONS));
  const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((part) =>
    Object.values(part?.content ?? {}),
  );
  const schemas = contents.flatMap(({ schema, 'x-frame': frame }) => [frame ?? schema ?? {}]);
  const named = schemas.flatMap((schema) => [schema, ...(schema.anyOf ?? [])]).filter(({ $ref }) => $ref !== undefined);
  const parts = [
    ...(operation.parameters ?? []).flatMap(({ name, description = '' }) => [name, description]),
    ...Object.keys(operation.responses).map((status) => (status === 'default' ? 'Failure' : `Answer ${status}`)),
    ...named.flatMap((schema) => saidOf(resolve(schema))),
  ];
  return [operation.method.toUpperCase(), operation.path, ...parts].map((part) =>
    part.replaceAll('`', ' ').replaceAll(/\s+/g, ' ').trim().split(' ').slice(0, 4).join(' '),
  );
}

/** Names and descriptions of all members, however deep. */
function saidOf(schema: Schema): readonly string[] {
  const { properties = {}, items, anyOf = [], patternProperties = {} } = schema;
  const own = Object.entries(properties).flatMap(([name, each]) => [name, each.description ?? '', ...saidOf(each)]);
  const inner = [...anyOf, ...Object.values(patternProperties), ...(items === undefined ? [] : [items])];
  return [...own, ...inner.flatMap(saidOf)];
}

it('of one path GET and POST come before HEAD, in the document and on the page', async () => {
  const { paths } = (await (await fetch(`${origin}/api/v1/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const order = ['get', 'post', 'put', 'patch', 'delete', 'head'];
  for (const [path, methods] of Object.entries(paths)) {
    const places = Object.keys(methods).map((method) => order.indexOf(method));
    assert.equal(
      places,
      [...places].sort((a, b) => a - b),
      path,
    );
  }
  const index = (await visitor.get(INDEX)).text;
  assert.ok(index.indexOf('docs/getVideosIdContent"') < index.indexOf('docs/headVideosIdContent"'));
});

it('every example body is one that its schema accepts', () => {
  const { operations, resolve } = publishedApi(openApiDocument(OPERATIONS));
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  let checked = 0;
  for (const { operationId, requestBody } of operations) {
    const { schema } = requestBody?.content['application/json'] ?? {};
    if (schema === undefined) continue;
    const resolved = resolve(schema);
    const validate = ajv.compile(resolved);
    assert.ok(
      validate(exampleBody(schema, resolved, 'sim/fast')),
      `${operationId}: ${ajv.errorsText(validate.errors)}`,
    );
    checked++;
  }
  assert.ok(checked >= 20, String(checked));
});

it('the pages fit their window and load nothing from elsewhere: light, dark and on a phone', async () => {
  const context = await openContext();
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) errors.push(request.url());
  });
  for (const path of [INDEX, `${INDEX}/postChatCompletions`]) {
    await page.goto(`${origin}${path}`);
    for (const look of LOOKS) {
      await give(page, look);
      await screenshot(page, `api-docs-${look}${path.replaceAll('/', '-')}`);
      const background = 'getComputedStyle(document.documentElement).backgroundColor';
      const [, red = ''] = /rgba?\((\d+)/.exec(await page.evaluate<string>(background)) ?? [];
      assert.is(Number(red) < 100, look === 'dark', `${look}: ${red}`);
      assert.is(await overflow(page), 0, `${path} scrolls sideways, ${look}`);
    }
  }
  assert.equal(errors, []);
  await context.close();
});

test.run();
