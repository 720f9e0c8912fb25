import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OneAtATime } from '../../../gateway/overload/one-at-a-time.ts';
import { bounded } from '../../support/bounded.ts';

const it = bounded(test);

it('one piece runs at a time, holders in turn, and each holder first come, first served', async () => {
  const work = new OneAtATime();
  const begun: string[] = [];
  let running = 0;
  const piece = (name: string) => async (): Promise<string> => {
    assert.is(++running, 1);
    begun.push(name);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return name;
  };
  const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];
  assert.equal(await Promise.all(names.map((name) => work.run(name.charAt(0), piece(name)))), names);
  assert.equal(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

it('a piece that fails rejects for its own caller alone', async () => {
  const work = new OneAtATime();
  const failed = work.run('a', async () => {
    throw new Error('broken');
  });
  const next = work.run('a', async () => 'next');
  const failure = await failed.catch((error: Error) => error.message);
  assert.equal([failure, await next], ['broken', 'next']);
});

test.run();
