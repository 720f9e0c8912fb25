import { Ajv } from 'ajv';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

const { cluster, send } = await openApi(test, openCluster);

it('the document needs no key, and is the same on every node', async () => {
  const texts = await Promise.all(
    cluster.baseUrls.map(async (base) => {
      const answer = await fetch(`${base}/openapi.json`);
      assert.is(answer.status, 200);
      assert.is(answer.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.match(answer.headers.get('x-generation-id') ?? '', /^gen-/);
      return answer.text();
    }),
  );
  assert.is(new Set(texts).size, 1);
  const document = JSON.parse(texts[0] as string);
  assert.is(document.openapi, '3.1.0');
  assert.equal(document.servers, [{ url: '/api/v1' }]);
  assert.ok(document.paths['/chat/completions'].post.requestBody);
  assert.equal(document.components.schemas.ChatRequest.properties.models.anyOf[0].maxItems, 20);
});

interface Published {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Answer>> }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
interface Answer {
  readonly content?: Readonly<
    Record<string, { readonly schema?: { readonly $ref?: string; readonly anyOf?: object } }>
  >;
}

/** Streams and files, which are no JSON. */
const NO_JSON: ReadonlySet<string> = new Set(['/events', '/responses']);

it('what every route without a parameter answers fits the published schema, and so does every refusal (rule E12)', async () => {
  const base = cluster.baseUrls[0] as string;
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as Published;
  const ajv = new Ajv({ strict: false, formats: { 'date-time': true, date: true, uri: true } });
  ajv.addSchema({ $id: 'api', components: document.components });
  const fits = (schema: object, value: unknown): string => {
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
    return validate(value) ? '' : JSON.stringify(validate.errors?.slice(0, 3));
  };
  const { account, key } = await cluster.fund('10');
  const { key: manager } = await cluster.issue(account, { kind: 'management' });
  const call = (path: string, credential: string, body?: object): Promise<Response> =>
    send(path, body === undefined ? { key: credential } : { key: credential, body });
  const messages = [{ role: 'user', content: 'Say hello' }];
  const sent: Readonly<Record<string, object>> = {
    '/chat/completions': { model: 'sim/echo', messages },
    '/completions': { model: 'sim/echo', prompt: 'Say hello' },
    '/messages': { model: 'sim/echo', max_tokens: 20, messages },
    '/messages/count_tokens': { model: 'sim/echo', messages },
    '/responses': { model: 'sim/echo', input: 'Say hello' },
    '/embeddings': { model: 'sim/embedder', input: 'Say hello' },
    '/rerank': { model: 'sim/ranker', query: 'Say hello', documents: ['hello'] },
    '/v2/rerank': { model: 'sim/ranker', query: 'Say hello', documents: ['hello'] },
    '/credits/coinbase': {},
  };
  const wrong: string[] = [];
  let judged = 0;
  const judge = async (method: string, path: string, answer: Response): Promise<void> => {
    const responses = document.paths[path.split('?')[0] as string]?.[method]?.responses;
    const found = responses?.[answer.status] ?? responses?.default;
    const schema = found?.content?.['application/json']?.schema;
    const error = schema === undefined ? 'no schema' : fits(schema, await answer.json());
    if (error !== '') wrong.push(`${method} ${path} ${answer.status}: ${error}`);
    judged++;
  };
  let generation = '';
  for (const [path, body] of Object.entries(sent)) {
    const answer = await call(path, key, body);
    assert.ok([200, 410].includes(answer.status), `${path} ${answer.status}`);
    if (path === '/chat/completions') generation = answer.headers.get('x-generation-id') as string;
    await judge('post', path, answer);
    await judge('post', path, await call(path, path === '/credits/coinbase' ? key : 'nobody', body));
  }
  await judge('get', '/generation', await call(`/generation?id=${generation}`, key));
  for (const [path, operations] of Object.entries(document.paths)) {
    if (operations.get === undefined || path.includes('{') || NO_JSON.has(path)) continue;
    const first = await call(path, key);
    const answer = first.status === 403 ? await call(path, manager) : first;
    if (answer !== first) await judge('get', path, first);
    await judge('get', path, answer);
  }
  assert.equal(wrong, []);
  assert.ok(judged > 40, String(judged));
});

test.run();
