import { kill } from 'node:process';
import { shardOf } from '../../actors/runtime/actor/address.ts';
import { processState } from '../../gateway/operator/launcher/process-state.ts';
import type { NodeSeen, Owners, StoreView } from '../support/auditor/store-view.ts';
import { limit } from '../support/pace.ts';
import type { Cut, Links } from './links.ts';
import type { Payer, Workload } from './workload.ts';

interface NemesisOptions {
  readonly store: StoreView;
  readonly workload: Workload;
  readonly payers: readonly Payer[];
  /** Processes of the nodes that serve, by the launcher. A member owns shards before it serves. */
  readonly serving: () => readonly number[];
  readonly nodes: number;
  readonly shards: number;
  readonly chance: () => number;
  /** How long the cluster may take to be whole again. */
  readonly healMs: number;
  /** Stops this node at its next transaction, or before its next commit. */
  readonly freeze: (node: string, where: Frozen) => void;
}

/** Where a stop is forced. */
export type Frozen = 'in transaction' | 'before commit';

/** One fault and the recovery from it. Times are ms. */
export interface Strike {
  readonly fault: string;
  readonly node: string;
  /** False if the node survived its fault: the run proves nothing then. */
  readonly tookEffect: boolean;
  /** From the death to the first request held and settled by an account of that node; null if it owned none. */
  readonly takeoverMs: number | null;
  /** From the death until every declared node serves and every shard has a live owner. */
  readonly healedMs: number | null;
  /** The next process of the same node; null if none was observed. */
  readonly successor: NodeSeen | null;
  /** Monotonic time of the workload's process: requests that overlap this window need not be `ok`. */
  readonly window: { readonly from: number; readonly to: number };
  /** Set for a stopped node (a zombie): when it was resumed, unless it was killed before. Wall ms. */
  readonly zombie?: { readonly pid: number; readonly incarnation: string; readonly wokenAt: number | null };
}

const STRIKE_MS = 60_000;
/** Long enough for the node to be voted out (3.3 s) and replaced before it resumes. */
const STOP_MS_MIN = 6_000;
const STOP_MS_MAX = 15_000;
const POLL_MS = 5;
/** A look at the store reads all its shards. */
const LOOK_MS = 20;
const PROBE_PAUSE_MS = 10;
const SETTLED_MS = 500;

/** Kills and stops nodes, one at a time, at random moments or at crash points, and measures externally how they are replaced. */
export class Nemesis {
  readonly #options: NemesisOptions;
  #look: Promise<Owners> | null = null;

  constructor(options: NemesisOptions) {
    this.#options = options;
  }

  /** Sends SIGKILL to a random node that owns one of these accounts, at a random moment; `before` gets the node. */
  async killAny(owned: readonly Payer[], before: (node: NodeSeen) => void = () => {}): Promise<Strike> {
    const node = await this.#victim(owned);
    before(node);
    const orphans = await this.#payersOf(node.incarnation);
    const from = performance.now();
    kill(node.pid, 'SIGKILL');
    return this.#watch('SIGKILL', node, orphans, from);
  }

  /** Sends SIGSTOP to such a node at a random moment or a forced point; `before` gets the node. */
  async stopAny(owned: readonly Payer[], where: Frozen | null, before: (node: NodeSeen) => void): Promise<Strike> {
    const node = await this.#victim(owned);
    before(node);
    const orphans = await this.#payersOf(node.incarnation);
    if (where === null) kill(node.pid, 'SIGSTOP');
    else this.#options.freeze(node.name, where);
    return this.awaitStop(node, where === null ? 'SIGSTOP' : `SIGSTOP ${where}`, orphans);
  }

  /**
   * Waits until this process of a node is stopped, and resumes it later as a zombie whose writes must be refused. The
   * launcher kills a process that holds the store's lock before that.
   */
  async awaitStop(node: NodeSeen, fault: string, owned: readonly Payer[] = []): Promise<Strike> {
    let orphans = owned;
    const stopped = await until(
      async () => {
        if (processState(node.pid)?.stopped) return true;
        const now = await this.#payersOf(node.incarnation);
        if (!processState(node.pid)?.stopped) orphans = now;
        return !isAlive(node.pid);
      },
      STRIKE_MS,
      LOOK_MS,
    );
    if (!stopped || !processState(node.pid)?.stopped) return missed(fault, node);
    let wokenAt: number | null = null;
    const wake = setTimeout(
      () => {
        if (!isAlive(node.pid)) return;
        wokenAt = Date.now();
        kill(node.pid, 'SIGCONT');
      },
      STOP_MS_MIN + this.#options.chance() * (STOP_MS_MAX - STOP_MS_MIN),
    );
    const strike = await this.#watch(fault, node, orphans, performance.now()).finally(() => clearTimeout(wake));
    return { ...strike, zombie: { pid: node.pid, incarnation: node.incarnation, wokenAt } };
  }

  /**
   * Cuts the links of a random node. It must detect that it was voted out and exit; then the links are restored, so that
   * its next process can join. A cut that blocked no byte had no effect.
   */
  async cutAny(links: Links, cut: Cut): Promise<Strike> {
    const node = await this.#victim(this.#options.payers);
    const orphans = await this.#payersOf(node.incarnation);
    const before = links.faulted;
    const from = performance.now();
    links.cut(node.name, cut);
    const heal = (): void => links.heal();
    const strike = await this.#watch(cut, node, orphans, from, heal).finally(heal);
    return { ...strike, tookEffect: strike.tookEffect && links.faulted > before };
  }

  /** Waits until this process of a node dies at its armed crash point. */
  async awaitCrash(node: NodeSeen, point: string): Promise<Strike> {
    const from = performance.now();
    let orphans: readonly Payer[] | null = null;
    const died = await until(
      async () => {
        if (!isAlive(node.pid)) return true;
        orphans = await this.#payersOf(node.incarnation);
        return false;
      },
      STRIKE_MS,
      LOOK_MS,
    );
    if (died) return this.#watch(point, node, orphans ?? [], orphans === null ? from : performance.now());
    return missed(point, node);
  }

  async #watch(
    fault: string,
    node: NodeSeen,
    orphans: readonly Payer[],
    from: number,
    died: () => void = () => {},
  ): Promise<Strike> {
    // A node that is only cut off still serves its accounts, or hands some over: the takeover ends with the first answer of
    // a new owner of an account it lost.
    const isMoved = async (payer: Payer): Promise<boolean> => {
      const owners = await this.#owners();
      return !owners.nodes.has(node.incarnation) && !this.#payersIn(owners, node.incarnation).includes(payer);
    };
    const takeover = this.#takeover(orphans, from, isMoved);
    const tookEffect = await until(() => !isAlive(node.pid), STRIKE_MS);
    died();
    let successor: NodeSeen | null = null;
    const healed = await until(
      async () => {
        const { nodes, shards } = await this.#owners();
        const others = [...nodes.values()].filter((each) => each.incarnation !== node.incarnation);
        successor ??= others.find((each) => each.name === node.name) ?? null;
        if (nodes.has(node.incarnation) || this.#serving(nodes.values()).length < this.#options.nodes) return false;
        return shards.every((shard) => shard.owner !== null && nodes.has(shard.owner));
      },
      this.#options.healMs,
      LOOK_MS,
    );
    const healedMs = healed ? performance.now() - from : null;
    const window = { from, to: performance.now() + SETTLED_MS };
    return { fault, node: node.name, tookEffect, takeoverMs: await takeover, healedMs, successor, window };
  }

  /** Sends a request for up to three of the node's accounts once they have moved; returns at the first answer. */
  async #takeover(
    orphans: readonly Payer[],
    from: number,
    isMoved: (payer: Payer) => Promise<boolean>,
  ): Promise<number | null> {
    if (orphans.length === 0) return null;
    let first: number | null = null;
    const leftMs = limit(this.#options.healMs);
    const ask = async (payer: Payer): Promise<void> => {
      while (first === null && leftMs() > 0) {
        const finding = (await isMoved(payer)) ? await this.#options.workload.probe(payer) : null;
        if (finding?.type === 'ok') first ??= performance.now() - from;
        else await new Promise((resolve) => setTimeout(resolve, PROBE_PAUSE_MS));
      }
    };
    await Promise.all(orphans.slice(0, 3).map(ask));
    return first;
  }

  /**
   * A random serving node, preferably one that owns one of these accounts: its takeover is measurable, and its next
   * process, which takes the same accounts back, works for them.
   */
  async #victim(owned: readonly Payer[]): Promise<NodeSeen> {
    const owners = await this.#owners();
    const serving = this.#serving(owners.nodes.values());
    const living = serving.filter(({ state, pid }) => state === 'up' && isAlive(pid));
    const owning = living.filter(({ incarnation }) =>
      this.#payersIn(owners, incarnation).some((payer) => owned.includes(payer)),
    );
    const choice = owning.length > 0 ? owning : living;
    const victim = choice[Math.floor(this.#options.chance() * choice.length)];
    if (!victim) throw new Error('no node left to kill');
    return victim;
  }

  #serving(nodes: Iterable<NodeSeen>): readonly NodeSeen[] {
    const pids = new Set(this.#options.serving());
    return [...nodes].filter(({ pid }) => pids.has(pid));
  }

  /** Who owns each shard. Callers that ask during a look share it: three accounts wait for their takeover at once. */
  #owners(): Promise<Owners> {
    this.#look ??= this.#options.store.owners().finally(() => {
      this.#look = null;
    });
    return this.#look;
  }

  async #payersOf(incarnation: string): Promise<readonly Payer[]> {
    return this.#payersIn(await this.#owners(), incarnation);
  }

  #payersIn({ shards }: Owners, incarnation: string): readonly Payer[] {
    const owned = new Set(shards.filter((shard) => shard.owner === incarnation).map((shard) => shard.shard));
    return this.#options.payers.filter((payer) => owned.has(shardOf(payer.account, this.#options.shards)));
  }
}

function missed(fault: string, node: NodeSeen): Strike {
  const at = performance.now();
  const window = { from: at, to: at };
  return { fault, node: node.name, tookEffect: false, takeoverMs: null, healedMs: null, successor: null, window };
}

export function isAlive(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Polls until the condition holds; false once the limit, at the pace of the machine, has passed. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs: number,
  pollMs = POLL_MS,
): Promise<boolean> {
  const leftMs = limit(withinMs);
  while (leftMs() > 0) {
    if (await holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return holds();
}
