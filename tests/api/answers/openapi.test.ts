import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bounded } from '../../support/bounded.ts';
import type { TestCluster } from '../../support/cluster/start-cluster.ts';
import { openCluster } from './cluster.ts';

const it = bounded(test);

let cluster: TestCluster;
test.before(async () => {
  cluster = await openCluster();
});
test.after(() => cluster.close());

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

test.run();
