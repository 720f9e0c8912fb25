/** Three launched nodes, fault injection, and a record of what they acknowledged. */
import * as assert from 'uvu/assert';
import type { ClusterView } from '../../actors/runtime/index.ts';
import { LaunchedNodes } from '../support/cluster/launched-nodes.ts';
import { FaultInjector, type Note } from '../support/faults/fault-injector.ts';
import { limit, paced } from '../support/pace.ts';

const NAMES = ['n1', 'n2', 'n3'] as const;
const ADDRESSES = Array.from({ length: 60 }, (_, i) => `tally:f${i}`);
const ASK_MS = 8_000;
const UNMOVED_MS = 700;
/** Between an answer and the next addition of a lane: a hundred commits a second leave CPU time for the fault. */
const THINK_MS = 50;
/** A look at the owners reads every shard three times. */
const LOOK_MS = 50;

interface Asked {
  readonly ok: boolean;
  /** Empty if it was answered. */
  readonly error: string;
  readonly tookMs: number;
}

export class LaunchedTrio {
  readonly injector = new FaultInjector();
  #nodes!: LaunchedNodes;
  readonly #acknowledged = new Map<string, number>();
  readonly #unknown = new Map<string, number>();

  /** `postgresUrl`: default is one SQLite file. */
  async start(postgresUrl?: string): Promise<void> {
    this.#nodes = await LaunchedNodes.start({
      names: NAMES,
      env: this.injector.env,
      ...(postgresUrl === undefined ? {} : { postgresUrl }),
    });
    await this.shared();
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#nodes.signal(name, signal);
  }

  /** Resolves with the exit code of this life of the node. */
  ended(name: string): Promise<number | null> {
    return this.#nodes.ended(name);
  }

  /** Waits until every node owns its share and no shard has moved recently. */
  async shared(): Promise<void> {
    let before = '';
    let since = 0;
    await this.until(async () => {
      const owned = await Promise.all(NAMES.map((name) => this.owned(name)));
      const now = JSON.stringify(owned);
      if (now !== before) since = performance.now();
      before = now;
      return owned.every((each) => each.length >= ADDRESSES.length / 8) && performance.now() - since > UNMOVED_MS;
    }, 'every node owns its share');
  }

  owned(name: string): Promise<readonly string[]> {
    return this.#nodes.owned(name, ADDRESSES);
  }

  /** True while its read lease is valid. */
  connected(name: string): Promise<boolean> {
    return this.#nodes.serves(name);
  }

  /** What `troupe ps` shows at a node. */
  ps(name: string): Promise<ClusterView> {
    return this.#nodes.ps(name);
  }

  /** Waits until the launcher has replaced the node's process, which ended. */
  async revive(name: string): Promise<void> {
    this.injector.clear(name);
    await this.#nodes.restarted(name);
    await this.shared();
  }

  /** Sends one addition through this node and records the reply. */
  async add(on: string, address: string, withinMs = paced(ASK_MS)): Promise<Asked> {
    const event = { type: 'tally.add', by: 1 };
    const at = performance.now();
    const count = (map: Map<string, number>): unknown => map.set(address, (map.get(address) ?? 0) + 1);
    const answer = await this.#nodes.ask(on, address, event, withinMs);
    const tookMs = performance.now() - at;
    const ok = 'body' in answer;
    const error = ok ? '' : answer.error;
    if (ok) count(this.#acknowledged);
    else if (!/refused|busy/.test(error)) count(this.#unknown);
    return { ok, error, tookMs };
  }

  /** Adds continually on each of these nodes until `stop` is called; resolves with all answers. */
  load(on: readonly string[], of: readonly string[] = ADDRESSES): { readonly stop: () => Promise<readonly Asked[]> } {
    let running = true;
    const answers: Asked[] = [];
    const lane = async (name: string, from: number): Promise<void> => {
      for (let next = from; running; next += 7) {
        const answer = await this.add(name, of[next % of.length] as string);
        answers.push(answer);
        await pause(THINK_MS);
      }
    };
    const lanes = on.flatMap((name) => [lane(name, 0), lane(name, 3)]);
    return {
      stop: async () => {
        running = false;
        await Promise.all(lanes);
        return answers;
      },
    };
  }

  /** Checks that every acknowledged addition is present and none was applied twice. */
  async checkSums(on: string): Promise<void> {
    for (const [address, acknowledged] of this.#acknowledged) {
      const answer = await this.#nodes.ask(on, address, { type: 'tally.read' }, paced(ASK_MS));
      const sum = 'body' in answer ? (answer.body as { sum: number }).sum : Number.NaN;
      const most = acknowledged + (this.#unknown.get(address) ?? 0);
      assert.ok(sum >= acknowledged && sum <= most, `${address}: ${sum}, expected ${acknowledged} to ${most}`);
    }
  }

  /** Deaths that the nodes voted: which node marked which dead. */
  verdicts(): readonly string[] {
    return this.#nodes.verdicts();
  }

  notes(name: string, from: number): readonly Note[] {
    return this.injector.notes.slice(from).filter(({ node }) => node === name);
  }

  async tookEffect(name: string, from: number): Promise<void> {
    await this.until(
      async () => this.notes(name, from).some(({ effect }) => effect !== undefined),
      `the fault of  takes effect`,
    );
  }

  async until(holds: () => Promise<boolean>, what: string, withinMs = 60_000): Promise<number> {
    const began = performance.now();
    const leftMs = limit(withinMs);
    while (!(await holds())) {
      if (leftMs() === 0) throw new Error(`timed out waiting until ${what}`);
      await pause(LOOK_MS);
    }
    return performance.now() - began;
  }

  async close(): Promise<void> {
    await this.#nodes.close();
    this.injector.close();
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
