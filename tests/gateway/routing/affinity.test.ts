import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Affinity } from '../../../gateway/routing/affinity.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);
const CONVERSATIONS_MAX = 50_000;

it('drops the least recently used conversation beyond 50,000', () => {
  const affinity = new Affinity();
  for (let i = 0; i < CONVERSATIONS_MAX; i++) affinity.remember('account:a', `c${i}`, `ep_${i}`);
  assert.is(affinity.recall('account:a', 'c0'), 'ep_0');
  affinity.remember('account:a', 'c2', 'ep_other');
  for (const conversation of ['new1', 'new2']) affinity.remember('account:a', conversation, 'ep_9');
  const recalled = ['c0', 'c1', 'c2', 'c3', 'c4', 'new2'].map((name) => affinity.recall('account:a', name));
  assert.equal(recalled, ['ep_0', null, 'ep_other', null, 'ep_4', 'ep_9']);
});

it('separates the conversations of two accounts, and ignores turns without a name', () => {
  const affinity = new Affinity();
  affinity.remember('account:a', 'c', 'ep_1');
  affinity.remember('account:b', undefined, 'ep_2');
  assert.equal([affinity.recall('account:b', 'c'), affinity.recall('account:b', undefined)], [null, null]);
  assert.is(affinity.recall('account:a', 'c'), 'ep_1');
});

test.run();
