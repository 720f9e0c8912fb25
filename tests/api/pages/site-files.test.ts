/** What browsers and crawlers ask a site for by themselves, and what search engines may list. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import { openApi } from '../client.ts';
import { openCluster } from './cluster.ts';
import { originOf, signedIn, Visitor } from './visitor.ts';

const it = bounded(test, 60_000);
const NOINDEX = '<meta name="robots" content="noindex">';

const { cluster } = await openApi(test, openCluster);
const visitor = new Visitor(originOf(cluster));
const owner = await signedIn(cluster);

it('the icon is an image of three sizes, which a browser keeps and checks', async () => {
  const answer = await fetch(`${visitor.origin}/favicon.ico`);
  assert.equal([answer.status, answer.headers.get('content-type')], [200, 'image/x-icon']);
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal([bytes.readUInt16LE(0), bytes.readUInt16LE(2), bytes.readUInt16LE(4)], [0, 1, 3]);
  const etag = answer.headers.get('etag') as string;
  const again = await fetch(`${visitor.origin}/favicon.ico`, { headers: { 'if-none-match': etag } });
  assert.is(again.status, 304);
  await again.arrayBuffer();
});

it('crawlers may read the catalogue and nothing else', async () => {
  const { status, headers, text } = await visitor.get('/robots.txt');
  assert.equal([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
  assert.equal(
    text.split('\n').filter((line) => line.startsWith('Disallow')),
    ['Disallow: /'],
  );
  assert.match(text, 'Allow: /models\n');
  const [, address = ''] = /^Sitemap: (.*)$/m.exec(text) ?? [];
  assert.is(new URL(address).origin, visitor.origin);
  const sitemap = await visitor.get(new URL(address).pathname);
  const listed = [...sitemap.text.matchAll(/<loc>(.*)<\/loc>/g)].map(([, loc]) => loc as string);
  for (const path of ['/', '/models', '/models/sim/fast']) assert.ok(listed.includes(`${visitor.origin}${path}`), path);
});

it('the catalogue is listed under one address a page; searches of it and every other page are not', async () => {
  for (const path of ['/models', '/models/sim/fast']) {
    const { text } = await visitor.get(path);
    assert.not.match(text, NOINDEX, path);
    assert.match(text, `<link rel="canonical" href="${visitor.origin}${path}">`);
    assert.match(text, /<meta name="description" content="[^"]+">/);
  }
  assert.match((await visitor.get('/models/sim/fast?days=7')).text, `href="${visitor.origin}/models/sim/fast">`);
  for (const path of ['/models?q=fast', '/models?sort=oldest', '/sign-in', '/api/v1/docs']) {
    assert.match((await visitor.get(path)).text, NOINDEX, path);
  }
  for (const path of ['/account', '/account/keys']) assert.match((await owner.visitor.get(path)).text, NOINDEX, path);
});

test.run();
