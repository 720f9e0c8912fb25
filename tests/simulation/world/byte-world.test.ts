/** An outage of the keys lasts for every process as long as the auditor is told that it does. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyStoreUnreachable } from '../../../actors/runtime/ports/key-store.ts';
import { systemRandom } from '../../../actors/runtime/system/clock.ts';
import { HandClock } from '../../actors/runtime/durable/hand-clock.ts';
import { bounded } from '../../support/bounded.ts';
import { failureOf } from '../../support/failure-of.ts';
import { ByteWorld } from './byte-world.ts';
import { Database, UNSEEN } from './database.ts';
import { Dice } from './dice.ts';
import { Scheduler } from './scheduler.ts';

const it = bounded(test);

function world(): ByteWorld {
  const dice = new Dice(1);
  const scheduler = new Scheduler(dice.fork());
  return new ByteWorld(new Database({ scheduler, shards: 1, startsAt: 1_000, witness: UNSEEN }), dice);
}

it('a process whose own outage ends during an outage of all stays without keys until that ends', async () => {
  const bytes = world();
  const { keys } = bytes.connect(new HandClock(), systemRandom);
  keys.cut = true;
  bytes.cutKeys(true);
  keys.cut = false;
  assert.instance(await failureOf(keys.current()), KeyStoreUnreachable);
  const { keys: started } = bytes.connect(new HandClock(), systemRandom);
  assert.instance(await failureOf(started.current()), KeyStoreUnreachable);
  bytes.cutKeys(false);
  assert.ok((await started.current()).secret.equals((await keys.current()).secret));
  assert.equal(bytes.keyless, [{ from: 1_000, to: 1_000 }]);
});

it('a process stays without keys by its own outage when an outage of all ends', async () => {
  const bytes = world();
  const { keys } = bytes.connect(new HandClock(), systemRandom);
  keys.cut = true;
  bytes.cutKeys(true);
  bytes.cutKeys(false);
  assert.instance(await failureOf(keys.current()), KeyStoreUnreachable);
});

test.run();
