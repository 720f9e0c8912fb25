import type { Clock } from '../ports/clock.ts';
import type { RowRecord, Store } from '../ports/store.ts';
import type { EngineHost } from './engine.ts';
import type { Floor } from './floor.ts';
import type { HeldShard } from './held-shard.ts';
import { RECENT } from './recent-use.ts';
import type { Residents } from './residents.ts';
import type { Runner } from './runner.ts';

/** Actors loaded in one go, and the pause after it: what is asked for meanwhile goes ahead. */
const LOADS_AT_ONCE = 4;
const PAUSE_MS = 2;
const PAGE = 1_000;

export interface WarmUpParts {
  readonly floor: Floor;
  readonly runner: Runner;
  readonly residents: Residents;
  readonly store: Pick<Store, 'rows'>;
  readonly clock: Clock;
  readonly host: EngineHost;
}

/**
 * Loads the actors of adopted shards that were used last, in that order as far as it was written down, in the
 * background. Never evicts anybody for it, and never tries twice: what it misses is loaded when it is asked for.
 */
export class WarmUp {
  private readonly parts: WarmUpParts;

  constructor(parts: WarmUpParts) {
    this.parts = parts;
  }

  start(homes: readonly HeldShard[]): void {
    if (homes.length === 0) return;
    this.run(new Map(homes.map((home) => [home.shard, home]))).catch((error: unknown) =>
      this.parts.host.log({ level: 'warn', message: 'actors could not be warmed up', error: String(error) }),
    );
  }

  private async run(homes: ReadonlyMap<number, HeldShard>): Promise<void> {
    const { clock, residents } = this.parts;
    let loads = 0;
    for (const [home, address] of inTurn(await this.lists(homes))) {
      if (!residents.roomy) return;
      if (!this.load(home, address) || ++loads % LOADS_AT_ONCE > 0) continue;
      await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
    }
  }

  private async lists(homes: ReadonlyMap<number, HeldShard>): Promise<(readonly [HeldShard, readonly string[]])[]> {
    const lists: (readonly [HeldShard, readonly string[]])[] = [];
    let after: { readonly sort: number; readonly id: string } | undefined;
    for (;;) {
      const query = { collection: RECENT, limit: PAGE };
      const page: readonly RowRecord[] = await this.parts.store.rows(after ? { ...query, after } : query);
      for (const { sort, body } of page) {
        const home = homes.get(sort);
        if (home !== undefined) lists.push([home, addressesIn(body)]);
      }
      const last = page.at(-1);
      if (page.length < PAGE || last === undefined) return lists;
      after = { sort: last.sort, id: last.id };
    }
  }

  /** False when there is nothing to load. */
  private load(home: HeldShard, address: string): boolean {
    const { floor, runner } = this.parts;
    if (home.serving !== 'live' || floor.cells.has(address)) return false;
    if (floor.homeOf(address) !== home || floor.faultOf(address) !== null) return false;
    runner.cellOf(address, home, false);
    return true;
  }
}

/** The first of each list, then the second of each, and so on: no shard waits for another's whole list. */
function* inTurn(lists: readonly (readonly [HeldShard, readonly string[]])[]): Iterable<readonly [HeldShard, string]> {
  for (let place = 0, more = true; more; place++) {
    more = false;
    for (const [home, addresses] of lists) {
      const address = addresses[place];
      if (address === undefined) continue;
      more = true;
      yield [home, address];
    }
  }
}

/** A list that does not read is no list: nothing depends on it. */
function addressesIn(body: string): readonly string[] {
  try {
    const { addresses } = JSON.parse(body) as { readonly addresses?: unknown };
    return Array.isArray(addresses) ? addresses.filter((it): it is string => typeof it === 'string') : [];
  } catch {
    return [];
  }
}
