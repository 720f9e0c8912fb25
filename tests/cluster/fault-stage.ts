/** Three node processes without a launcher, fault injection, and a record of what they acknowledged. */
import * as assert from 'uvu/assert';
import { FaultDesk, type Note } from '../support/faults/fault-desk.ts';
import { type NodeProcess, NodeProcesses } from './node-processes.ts';

const NAMES = ['n1', 'n2', 'n3'] as const;
const ADDRESSES = Array.from({ length: 60 }, (_, i) => `tally:f${i}`);
const ASK_MS = 8_000;
const UNMOVED_MS = 700;

export interface Asked {
  readonly ok: boolean;
  /** Empty if it was answered. */
  readonly error: string;
  readonly tookMs: number;
}

export class FaultStage {
  readonly desk = new FaultDesk();
  readonly #processes: NodeProcesses;
  readonly #acknowledged = new Map<string, number>();
  readonly #unknown = new Map<string, number>();

  /** `database` is the location of each node's store; default: one SQLite file. */
  constructor(database?: (name: string) => string) {
    this.#processes = new NodeProcesses(this.desk.env, database);
  }

  async start(): Promise<void> {
    for (const name of NAMES) this.#processes.start(name);
    await Promise.all(this.#all().map((node) => node.ready));
    await this.shared();
  }

  node(name: string): NodeProcess {
    const node = this.#processes.running.get(name);
    if (!node) throw new Error(`there is no ${name}`);
    return node;
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

  async owned(name: string): Promise<readonly string[]> {
    return (await this.node(name).send({ do: 'owned', of: ADDRESSES })).owned as string[];
  }

  /** True while its read lease is valid. */
  async connected(name: string): Promise<boolean> {
    return (await this.node(name).send({ do: 'connected' })).connected as boolean;
  }

  /** Starts a new process for a node that ended. */
  async revive(name: string): Promise<void> {
    await this.node(name).exited;
    this.desk.clear(name);
    await this.#processes.start(name).ready;
    await this.shared();
  }

  /** Sends one addition through this node and records the reply. */
  async add(on: string, address: string, withinMs = ASK_MS): Promise<Asked> {
    const event = { type: 'tally.add', by: 1 };
    const at = performance.now();
    const book = (map: Map<string, number>): unknown => map.set(address, (map.get(address) ?? 0) + 1);
    const answer = await this.node(on).send({ do: 'ask', to: address, event, withinMs });
    const tookMs = performance.now() - at;
    const ok = 'body' in answer;
    const error = ok ? '' : String((answer as { error?: unknown }).error);
    if (ok) book(this.#acknowledged);
    else if (!/refused|busy/.test(error)) book(this.#unknown);
    return { ok, error, tookMs };
  }

  /** Adds back to back on each of these nodes until `stop` is called; resolves with all answers. */
  load(on: readonly string[], of: readonly string[] = ADDRESSES): { readonly stop: () => Promise<readonly Asked[]> } {
    let running = true;
    const answers: Asked[] = [];
    const lane = async (name: string, from: number): Promise<void> => {
      for (let next = from; running; next += 7) {
        const answer = await this.add(name, of[next % of.length] as string);
        answers.push(answer);
        if (!answer.ok) await pause(20);
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
  async checkBook(on: string): Promise<void> {
    for (const [address, acknowledged] of this.#acknowledged) {
      const answer = await this.node(on).send({
        do: 'ask',
        to: address,
        event: { type: 'tally.read' },
        withinMs: ASK_MS,
      });
      const sum = (answer.body as { sum: number } | undefined)?.sum ?? Number.NaN;
      const most = acknowledged + (this.#unknown.get(address) ?? 0);
      assert.ok(sum >= acknowledged && sum <= most, `${address}: ${sum}, expected ${acknowledged} to ${most}`);
    }
  }

  /** Deaths according to the logs of the living nodes: which node marked which dead. */
  verdicts(): readonly string[] {
    return this.#all().flatMap(({ lines }) =>
      lines.flatMap((line) => {
        const log = line.log as { message?: string; node?: string; why?: string } | undefined;
        return log?.message === 'node marked dead' ? [`${log.node}: ${log.why}`] : [];
      }),
    );
  }

  notes(name: string, from: number): readonly Note[] {
    return this.desk.notes.slice(from).filter(({ node }) => node === name);
  }

  async struck(name: string, from: number): Promise<void> {
    await this.until(
      async () => this.notes(name, from).some(({ struck }) => struck !== undefined),
      `${name} is struck`,
    );
  }

  async until(holds: () => Promise<boolean>, what: string, withinMs = 20_000): Promise<number> {
    const began = performance.now();
    while (!(await holds())) {
      if (performance.now() - began > withinMs) throw new Error(`timed out waiting until ${what}`);
      await pause(10);
    }
    return performance.now() - began;
  }

  async close(): Promise<void> {
    await this.#processes.close();
    this.desk.close();
  }

  #all(): readonly NodeProcess[] {
    return [...this.#processes.running.values()];
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
