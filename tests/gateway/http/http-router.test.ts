import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PREFIX } from '../../../gateway/edge/route.ts';
import { HttpRouter } from '../../../gateway/http/http-router.ts';
import { bounded } from '../../support/bounded.ts';
import { apiTable, pageTable } from '../../support/route-table.ts';

const it = bounded(test);

const router = new HttpRouter([
  ...apiTable().map((route) => ({ ...route, path: `${PREFIX}${route.path}` })),
  ...pageTable(),
]);

const long = 'a'.repeat(512);
const MODEL = '/models/:author/:slug';

/** The route path, below the API's prefix, and the parameters that each target resolves to; null for no route. The method is GET. */
const GETS: readonly (readonly [target: string, path: string | null, params?: readonly string[], query?: string])[] = [
  // The prefix itself, with and without its slash.
  ['/api/v1', ''],
  ['/api/v1/', '/'],
  ['/api/v1?x', '', [], 'x'],
  ['/api/v1//', null],
  ['/api', null],
  ['/api/v1x', null],
  // Queries and fragments end the path, semicolons do not.
  ['/api/v1/key?', '/key', [], ''],
  ['/api/v1/key?a=%zz', '/key', [], 'a=%zz'],
  ['/api/v1/generation?id=a&id=b', '/generation', [], 'id=a&id=b'],
  ['/api/v1/generation?a?b#c', '/generation', [], 'a?b#c'],
  ['/api/v1/key#x', '/key', [], 'x'],
  ['/api/v1/key;x=y', null],
  ['/api/v1/models/sim/fast;v=1', MODEL, ['sim', 'fast;v=1']],
  // No slash is ignored, added or merged.
  ['/api/v1/key/', null],
  ['/api/v1/models/', '/models/:id', ['']],
  ['//api/v1/key', null],
  ['/api//v1/key', null],
  ['/api/v1//key', null],
  ['/api/v1/models/sim/fast/', null],
  ['/api/v1/models/sim//endpoints', '/models/:author/:slug/endpoints', ['sim', '']],
  // Case matters.
  ['/api/v1/Key', null],
  ['/API/v1/key', null],
  ['/api/v1/models/Sim/Fast', MODEL, ['Sim', 'Fast']],
  // Dot segments are segments like any other.
  ['/api/v1/./key', null],
  ['/api/v1/../v1/key', null],
  ['/api/v1/models/..', '/models/:id', ['..']],
  ['/api/v1/%2e%2e/key', null],
  // Percent-encoding is decoded per segment: an encoded slash separates nothing.
  ['/api/v1/ke%79', '/key'],
  ['/%61pi/v1/key', '/key'],
  ['/api%2Fv1/key', null],
  ['/api/v1%2fkey', null],
  ['/api/v1/models/sim%2Ffast', '/models/:id', ['sim/fast']],
  ['/api/v1/models/sim%2ffast', '/models/:id', ['sim/fast']],
  ['/api/v1/models/sim%252Ffast', '/models/:id', ['sim%2Ffast']],
  ['/api/v1/models/a%2Fb/c', MODEL, ['a/b', 'c']],
  ['/api/v1/models/%E2%82%AC', '/models/:id', ['€']],
  ['/api/v1/models/%25', '/models/:id', ['%']],
  ['/api/v1/models/a%3Fb', '/models/:id', ['a?b']],
  ['/api/v1/models/a+b', '/models/:id', ['a+b']],
  // Malformed encodings have no route, anywhere in the path.
  ['/api/v1/models/%zz', null],
  ['/api/v1/models/%', null],
  ['/api/v1/models/%2', null],
  ['/api/v1/models/%E2%82', null],
  ['/api/v1/models/%ff', null],
  ['/%', null],
  // A segment has 512 characters at most, counted decoded.
  [`/api/v1/models/${long}`, '/models/:id', [long]],
  [`/api/v1/models/${long}a`, null],
  [`/api/v1/models/${'%61'.repeat(512)}`, '/models/:id', [long]],
  [`/api/v1/models/${'%2F'.repeat(512)}`, '/models/:id', ['/'.repeat(512)]],
  [`/api/v1/models/${'%61'.repeat(513)}`, null],
  [`/api/v1/models/${long}/${long}`, MODEL, [long, long]],
  [`/api/v1/models/a/${long}a/endpoints`, null],
  // A fixed segment wins over a parameter.
  ['/api/v1/models/count', '/models/count'],
  ['/api/v1/models/coun%74', '/models/count'],
  ['/api/v1/models/Count', '/models/:id', ['Count']],
  ['/api/v1/models/count/x', MODEL, ['count', 'x']],
  ['/api/v1/models/user', '/models/user'],
  ['/api/v1/models/document.schema.json', '/models/document.schema.json'],
  ['/api/v1/models/document-schema-json', '/models/:id', ['document-schema-json']],
  ['/api/v1/openapi.json', '/openapi.json'],
  ['/api/v1/openapiXjson', null],
  ['/api/v1/model/sim/fast', '/model/:author/:slug', ['sim', 'fast']],
  ['/api/v1/model/sim', null],
  // Names that every object has are ordinary names.
  ['/api/v1/models/__proto__', '/models/:id', ['__proto__']],
  ['/api/v1/models/constructor/toString', MODEL, ['constructor', 'toString']],
  ['/api/v1/__proto__', null],
  ['/__proto__', null],
  // Absolute targets: the public listener refuses them before they are routed.
  ['http://a/api/v1/key', '/key'],
  ['*', null],
  ['api/v1/key', null],
  // A route of another method.
  ['/api/v1/chat/completions', null],
];

it('the root is a page, for browsers', () => {
  assert.is(router.find('GET', '/')?.route.path, '/');
  assert.is(router.find('POST', '/'), null);
});

it('every spelling of a path resolves to its one route, or to none (rule E22)', () => {
  for (const [target, path, params, query] of GETS) {
    const found = router.find('GET', target);
    assert.is(found?.route.path ?? null, path === null ? null : `${PREFIX}${path}`, target);
    if (found === null || path === null) continue;
    if (params) assert.equal(Object.values(found.params), params, target);
    assert.is(found.query, query ?? '', target);
  }
});

it('other methods have the routes they were registered with and no others, and unknown methods none', () => {
  assert.is(router.find('POST', '/api/v1/chat/completions?any')?.route.path, '/api/v1/chat/completions');
  assert.is(router.find('POST', '/api/v1/completions')?.route.path, '/api/v1/completions');
  assert.is(router.find('POST', '/api/v1/Completions'), null);
  for (const method of [
    'HEAD',
    'OPTIONS',
    'PUT',
    'PATCH',
    'DELETE',
    'POST',
    'get',
    'FOO',
    '__proto__',
    'constructor',
  ]) {
    assert.is(router.find(method, '/api/v1/key'), null, method);
  }
});

it('parameters and their names have no prototype', () => {
  const params = router.find('GET', '/api/v1/models/sim/fast')?.params ?? {};
  assert.is(params.author, 'sim');
  assert.is(params.constructor, undefined);
  assert.is(params.toString, undefined);
});

it('refuses two routes with one address', () => {
  const route = { method: 'GET', path: '/a/:x' } as const;
  assert.throws(() => new HttpRouter([route, { ...route, path: '/a/:y' }]), /already declared/);
});

test.run();
