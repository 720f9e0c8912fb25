import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse as parseChat } from '../../../../gateway/dialects/chat/parse.ts';
import { parse as parseEmbeddings } from '../../../../gateway/dialects/embeddings/parse.ts';
import { parse as parseImages } from '../../../../gateway/dialects/images/parse.ts';
import { type Order, orderOf } from '../../../../gateway/simulator/customers/orders.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);
const orders = (...outputs: string[]): Order[] =>
  Array.from({ length: 100 }, (_, round) => orderOf({ model: 'a/b', outputs, provider: 'p' }, round, 3)).filter(
    (order) => order !== null,
  );
const paths = (all: readonly Order[]): string[] => [...new Set(all.map(({ path }) => path))].sort();

it('asks an endpoint for what it makes, in bodies that the API accepts', () => {
  const text = orders('text');
  assert.equal(paths(text), ['/batches', '/chat/completions']);
  for (const { path, body } of text) if (path === '/chat/completions') parseChat(body);
  assert.ok(text.filter(({ path }) => path === '/batches').length <= 10);
  assert.ok(text.some(({ body }) => (body as { stream?: boolean }).stream === true));
  for (const { path, body } of orders('text', 'audio')) if (path !== '/batches') parseChat(body);
  for (const { body } of orders('embeddings')) parseEmbeddings(body, null);
  for (const { body } of orders('text', 'image')) parseImages(body);
});

it('asks seldom for what costs more', () => {
  assert.equal([orders('video').length, orders('text', 'image').length, orders('text').length], [2, 20, 100]);
});

test.run();
