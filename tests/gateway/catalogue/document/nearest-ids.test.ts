import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nearestIds } from '../../../../gateway/catalogue/document/nearest-ids.ts';
import { bounded } from '../../../support/bounded.ts';

const it = bounded(test);

const ids = [
  'openai/gpt-4o',
  'openai/gpt-4o-mini',
  'openai/gpt-5',
  'meta/llama-3.1-8b',
  'meta/llama-3.1-70b',
  'x/tiny',
];

it('suggests ids for a missing author, a wrong author, a typing error, another case and a part of a name (rule I12)', () => {
  assert.equal(nearestIds('gpt-4o', ids)[0], 'openai/gpt-4o');
  assert.equal(nearestIds('azure/gpt-4o', ids)[0], 'openai/gpt-4o');
  assert.equal(nearestIds('opnai/gtp-4o', ids)[0], 'openai/gpt-4o');
  assert.equal(nearestIds('OpenAI/GPT-5', ids)[0], 'openai/gpt-5');
  assert.equal(nearestIds('llama', ids), ['meta/llama-3.1-8b', 'meta/llama-3.1-70b']);
  assert.equal(nearestIds('meta/llama-3.1-8', ids)[0], 'meta/llama-3.1-8b');
});

it('suggests nothing for a name that resembles none, for none, and for one beyond the bound', () => {
  assert.equal(nearestIds('stability/diffusion-xl', ids), []);
  assert.equal(nearestIds('', ids), []);
  assert.equal(nearestIds(`openai/gpt-4o${'o'.repeat(64)}`, ids), []);
});

it('suggests at most three ids, in an order that does not depend on that of the catalogue', () => {
  const many = Array.from({ length: 30 }, (_, nth) => `a/model-${nth + 10}`);
  const found = nearestIds('a/model-1', many);
  assert.equal(found, ['a/model-10', 'a/model-11', 'a/model-12']);
  assert.equal(nearestIds('a/model-1', many.reverse()), found);
});

test.run();
