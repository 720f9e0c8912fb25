import { accountKind, createAccount } from '../../actors/account/account.ts';
import type { Kind } from '../../actors/runtime/index.ts';
import { purseKind } from '../actors/example-kinds/purse.ts';
import { openBenchStore } from './bench-store.ts';
import { askOf, owningEngines } from './owning-engines.ts';
import { OPEN, SHOW } from './purse-events.ts';

/** The memory of resident actors. */
export interface ResidentsResult {
  readonly residents: number;
  /** Heap and external memory (buffers, strings of the driver) after a collection, per actor. */
  readonly bytesEach: number;
  /** Growth of the whole process, including garbage not yet returned, per actor. */
  readonly processBytesEach: number;
}

/**
 * Creates actors, ends the engine, activates all of them from the store in a new engine that may keep them, and
 * measures the growth since the start: `node --expose-gc residents-engine DATABASE KIND COUNT`, where KIND is `purse`
 * or `account`; answers over IPC.
 */
const [path = '', name = '', count = '0'] = process.argv.slice(2);
const AT_ONCE = 1_000;
const ACCOUNT_SHOW = { type: 'account.show' };
const { kind, show }: { kind: Kind; show: { readonly type: string } } =
  name === 'account' ? { kind: accountKind(), show: ACCOUNT_SHOW } : { kind: purseKind, show: SHOW };
const addresses = Array.from({ length: Number(count) }, (_, at) => `${name}:a${at}`);
const open = await owningEngines(await openBenchStore(path), 'residents');
const choice = { kinds: [kind], limits: { residentsMax: 2 * addresses.length } };
type Ask = ReturnType<typeof askOf>;

async function make(ask: Ask, address: string): Promise<void> {
  if (name !== 'account') return void (await ask(address, OPEN));
  const cluster = {
    ask: async (to: string, event: Parameters<Ask>[1]) => {
      const answer = await ask(to, event);
      if (!answer.ok) throw new Error(`${to}: ${answer.failure.code}`);
      return answer.body;
    },
  };
  await createAccount(cluster as never, address, `Account ${address}`, AT_ONCE);
}

async function inGroups(each: (address: string) => Promise<void>): Promise<void> {
  for (let at = 0; at < addresses.length; at += AT_ONCE) {
    await Promise.all(addresses.slice(at, at + AT_ONCE).map(each));
  }
}

const weigh = (): { readonly live: number; readonly whole: number } => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { live: heapUsed + external, whole: rss };
};
const before = weigh();
const making = open(choice);
await inGroups((address) => make(askOf(making), address));
await making.close();

const engine = open(choice);
await inGroups(async (address) => {
  const answer = await askOf(engine)(address, show);
  if (!answer.ok) throw new Error(`${address}: ${answer.failure.code}`);
});
const after = weigh();
const residents = engine.gauges.cells;
const result: ResidentsResult = {
  residents,
  bytesEach: (after.live - before.live) / residents,
  processBytesEach: (after.whole - before.whole) / residents,
};
process.send?.(result, () => process.exit(0));
