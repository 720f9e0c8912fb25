/** The simulated store and the simulated network pass the contract suites of the real ones while no fault is injected. */
import { test } from 'uvu';
import { SHARDS } from '../contracts/store/records.ts';
import { storeContract } from '../contracts/store.contract.ts';
import { LIMITS, transportContract } from '../contracts/transport.contract.ts';
import type { Witness } from './world/database.ts';
import { Database } from './world/database.ts';
import { Dice } from './world/dice.ts';
import { SimulatedNetwork } from './world/network.ts';
import { NodeClock } from './world/node-clock.ts';
import { Place, Scheduler } from './world/scheduler.ts';
import { SimulatedStore } from './world/store.ts';
import { SimulatedTransport } from './world/transport.ts';

const UNSEEN: Witness = { committed() {}, moved() {}, markedDead() {}, unanswered() {}, divided() {} };

/** Advances virtual time while a caller awaits it, until stopped. */
class Pump {
  readonly dice = new Dice(1);
  readonly scheduler = new Scheduler(this.dice.fork());
  #stopped = false;

  constructor() {
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await this.scheduler.run(() => this.#stopped);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
}

storeContract('simulated', async () => {
  const pump = new Pump();
  const { scheduler } = pump;
  const database = new Database({ scheduler, shards: SHARDS, startsAt: Date.now(), witness: UNSEEN });
  const connect = (): SimulatedStore => new SimulatedStore(database, new Place('n1'), pump.dice.fork());
  return { store: connect(), reopen: async () => connect(), close: async () => pump.stop() };
});

const pump = new Pump();
const network = new SimulatedNetwork(pump.scheduler, pump.dice.fork());
let places = 0;
transportContract(test, () => {
  const place = new Place(`p${++places}`);
  const traits = { startsAt: 0, monotonicOffsetMs: 0, rate: 1 };
  const clock = new NodeClock(pump.scheduler, place, pump.dice.fork(), traits);
  return new SimulatedTransport(network, { place, clock, limits: LIMITS });
});

test.after(() => pump.stop());
test.run();
