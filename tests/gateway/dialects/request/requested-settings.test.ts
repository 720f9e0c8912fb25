import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requestedSettings } from '../../../../gateway/dialects/request/read-members.ts';

interface Body {
  readonly seed?: number | null;
  readonly stop?: readonly string[];
  readonly top_k?: number;
}

test('null and empty lists are left out (rule I14)', () => {
  assert.equal(requestedSettings<Body>({ seed: null, stop: [], top_k: 0 }, ['seed', 'stop', 'top_k']), { top_k: 0 });
});

test('a body is never iterated, since it may hold a hundred thousand members', () => {
  const body = new Proxy<Body>(
    { seed: 1 },
    {
      ownKeys: () => {
        throw new Error('the body was iterated');
      },
    },
  );
  assert.equal(requestedSettings(body, ['seed', 'stop']), { seed: 1 });
});

test.run();
