/** The attempts of one node are bounded: what finds no room is begun when there is some, and none is lost. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HeldRows } from '../../../../actors/runtime/actor/held-rows.ts';
import type { Intent } from '../../../../actors/runtime/actor/intent.ts';
import { systemCollections, systemRow } from '../../../../actors/runtime/actor/system-collections.ts';
import { HeldShard } from '../../../../actors/runtime/durable/held-shard.ts';
import { Intents } from '../../../../actors/runtime/durable/intents.ts';
import type { Outside } from '../../../../actors/runtime/durable/outside.ts';
import { ATTEMPTS_MAX, Performing } from '../../../../actors/runtime/durable/performing.ts';
import type { Runner } from '../../../../actors/runtime/durable/runner.ts';
import { systemRandom } from '../../../../actors/runtime/system/random.ts';
import { bounded } from '../../../support/bounded.ts';
import { HandClock } from './hand-clock.ts';
import { turns } from './stage.ts';

const it = bounded(test, 30_000);
const BEYOND = 100;

it('work beyond the bound waits for room, then runs; each once', async () => {
  const clock = new HandClock();
  const begun = new Map<string, number>();
  const release: (() => void)[] = [];
  const outside: Outside = {
    random: systemRandom,
    performers: {
      work: {
        perform: ({ address }) => {
          begun.set(address, (begun.get(address) ?? 0) + 1);
          return new Promise((resolve) => release.push(() => resolve(null)));
        },
      },
    },
    // The actor's owner takes the result: its intent is gone.
    send: async (to) => {
      intents.durable(home, { ...rowOf(to), removed: true });
      return 'taken';
    },
    missing: async () => [],
    abort: () => {},
    causeOf: () => null,
  };
  const log = (): void => {};
  const now = (): number => clock.now();
  const performing = new Performing({ outside, clock, now, log });
  const host = { lost: log, published: log, isGone: () => false, log };
  const runner = (): Runner => {
    throw new Error('nothing is ended by its owner here');
  };
  const intents: Intents = new Intents({ self: 'i1', outside, performing, runner, clock, now, host });
  const home = new HeldShard(0, 1, 0);
  intents.open(home);
  const intent: Intent = {
    ...{ name: 'work', input: null, key: 'k', attempt: 1, runner: 'i1', startAt: 0, deadlineAt: now() + 3_600_000 },
    ...{ failures: 0, failuresMax: 3, suspect: false, alone: false, deaths: 0 },
  };
  const rowOf = (address: string) => {
    const at = { beside: new HeldRows(address), shard: 0, open: true, sort: 1 };
    return systemRow(at, systemCollections.intents, 'w', intent);
  };
  const count = ATTEMPTS_MAX + BEYOND;
  for (let i = 0; i < count; i++) intents.durable(home, rowOf(`job:${i}`));
  assert.is(performing.size, ATTEMPTS_MAX);
  while (begun.size < count || release.length > 0) {
    await turns(10);
    for (const end of release.splice(0)) end();
    await turns(10);
    await clock.advance(1_000);
    assert.ok(performing.size <= ATTEMPTS_MAX);
  }
  assert.is(performing.size, 0);
  assert.is(begun.size, count);
  assert.ok([...begun.values()].every((times) => times === 1));
  intents.close();
});

test.run();
