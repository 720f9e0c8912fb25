/** The simulated store and the simulated network pass the contract suites of the real ones while no fault is injected. */
import { test } from 'uvu';
import { SHARDS } from '../contracts/store/records.ts';
import { storeContract } from '../contracts/store.contract.ts';
import { LIMITS, transportContract } from '../contracts/transport.contract.ts';
import { Database, UNSEEN } from './world/database.ts';
import { SimulatedNetwork } from './world/network.ts';
import { NodeClock } from './world/node-clock.ts';
import { Pump } from './world/pump.ts';
import { Place } from './world/scheduler.ts';
import { SimulatedStore } from './world/store.ts';
import { SimulatedTransport } from './world/transport.ts';

storeContract('simulated', async () => {
  const pump = new Pump();
  const { scheduler } = pump;
  const database = new Database({ scheduler, shards: SHARDS, startsAt: Date.now(), witness: UNSEEN });
  const connect = (): SimulatedStore => new SimulatedStore(database, new Place('n1'), pump.dice.fork());
  const nextEvent = async (n: number): Promise<void> => database.tables.events.next(n);
  return { store: connect(), reopen: async () => connect(), close: async () => pump.stop(), nextEvent };
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
