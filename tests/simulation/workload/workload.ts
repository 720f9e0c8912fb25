import type { AccountRead, KeyUsage } from '../../support/auditor/evidence.ts';
import type { Shown } from '../../support/auditor/runtime-evidence.ts';
import type { History } from '../history.ts';
import type { ByteWorld } from '../world/byte-world.ts';
import type { Database } from '../world/database.ts';
import type { Dice } from '../world/dice.ts';
import type { SimulatedProcess } from '../world/node.ts';
import { Alarms } from './alarms.ts';
import { Bank } from './bank.ts';
import { Batches } from './batches.ts';
import { Bills } from './bills.ts';
import { type Client, pause } from './client.ts';
import { Files } from './files.ts';
import { Jobs } from './jobs.ts';
import { Purses } from './purses.ts';
import { Reads } from './reads.ts';
import { Registers } from './registers.ts';
import { Tallies } from './tallies.ts';
import { Turns } from './turns.ts';
import { Videos } from './videos.ts';
import { Wallets } from './wallets.ts';

const REGISTERS = 3;
const TALLIES = 4;
const CLOCKWORKS = 3;
const OWNERS = 3;
const WALLETS = 5;
const DESKS = 3;
const HOUSES = 3;
const ACCOUNTS = 3;
const PROBE_MS = 5_000;
/** Sometimes a client sends many asks at once, so that commits of many shards share a transaction. */
const BURSTS = 0.22;
const BURST_ACTS = 11;

/** All operations on a world and their outcomes. */
export class Workload {
  readonly registers: Registers;
  readonly tallies: Tallies;
  readonly alarms: Alarms;
  readonly purses: Purses;
  readonly wallets: Wallets;
  readonly bills: Bills;
  readonly jobs: Jobs;
  readonly bank: Bank;
  readonly turns: Turns;
  readonly batches: Batches;
  readonly files: Files;
  readonly videos: Videos;
  readonly reads: Reads;
  /** Values read from boards. */
  readonly sightings: Shown[] = [];
  /** Pending operations by process. */
  readonly #open = new Map<SimulatedProcess, number>();
  readonly #dice: Dice;
  readonly #database: Database;
  readonly #thinkMs: number;
  #running = false;

  constructor(options: {
    readonly history: History;
    readonly database: Database;
    readonly dice: Dice;
    readonly thinkMs: number;
    readonly bytes: ByteWorld;
  }) {
    const { history, database } = options;
    this.#dice = options.dice;
    this.#database = database;
    this.#thinkMs = options.thinkMs;
    this.registers = new Registers(REGISTERS, history, database);
    this.tallies = new Tallies(TALLIES, history, database);
    this.alarms = new Alarms(CLOCKWORKS, history, database);
    this.purses = new Purses(OWNERS, history, database);
    this.wallets = new Wallets(WALLETS, history, database);
    this.bills = new Bills(HOUSES, history, database);
    this.jobs = new Jobs(DESKS, history, database);
    this.bank = new Bank(ACCOUNTS, history, database);
    this.turns = new Turns(this.bank, history, database);
    this.batches = new Batches(this.turns, history, database);
    this.files = new Files(history, database, options.bytes);
    this.videos = new Videos(history, database);
    this.reads = new Reads(this.bank, history, database);
  }

  begin(): void {
    this.#running = true;
  }

  /** Starts no new operations. */
  end(): void {
    this.#running = false;
  }

  /** True when no running process has a pending operation. */
  get quiet(): boolean {
    return [...this.#open].every(([process, open]) => !process.running || open === 0);
  }

  client(process: SimulatedProcess, name: string): Client {
    if (process.node === null) throw new Error(`${process.name} has not joined`);
    const { node, clock, bytes } = process;
    const isAlive = (): boolean => process.running;
    return { name: `${process.name}/${name}`, node, clock, bytes, dice: this.#dice.fork(), isAlive };
  }

  /** Starts the clients of a process that has just joined; they end with it. */
  join(process: SimulatedProcess, clients: number): void {
    this.#watchBoard(process);
    for (let i = 1; i <= clients; i++) void this.#live(process, this.client(process, `c${i}`));
  }

  async #live(process: SimulatedProcess, client: Client): Promise<void> {
    for (;;) {
      await pause(client, client.dice.between(0, 2) * this.#thinkMs);
      // As the gateway's admission does: no asks without recent contact with the store.
      if (!this.#running || !client.node.ready || !client.node.connected) {
        await pause(client, 100);
        continue;
      }
      this.#open.set(process, (this.#open.get(process) ?? 0) + 1);
      const acts = client.dice.happens(BURSTS) ? BURST_ACTS : 1;
      await Promise.all(Array.from({ length: acts }, () => this.#act(client)));
      this.#open.set(process, (this.#open.get(process) ?? 0) - 1);
    }
  }

  #act(client: Client): Promise<void> {
    const share = client.dice.fraction();
    if (share < 0.12) return this.registers.act(client);
    if (share < 0.2) return this.tallies.act(client);
    if (share < 0.26) return this.videos.act(client);
    if (share < 0.32) return this.alarms.act(client);
    if (share < 0.39) return this.purses.act(client);
    if (share < 0.47) return this.wallets.act(client);
    if (share < 0.53) return this.bills.act(client);
    if (share < 0.58) return this.jobs.act(client);
    if (share < 0.65) return this.batches.act(client);
    if (share < 0.7) return this.files.act(client);
    if (share < 0.86) return this.turns.act(client);
    if (share < 0.92) return this.bank.deposit(client);
    if (share < 0.94) return this.bank.manage(client);
    return this.reads.act(client);
  }

  #watchBoard(process: SimulatedProcess): void {
    const { node } = process;
    node?.board.onChange('counters', () => {
      const at = this.#database.scheduler.now;
      for (const [address, count] of node.board.topic('counters')) {
        const stored = this.registers.storedCount(address);
        this.sightings.push({ at, what: `board of ${process.name}`, address, count: Number(count), stored });
      }
    });
  }

  /** How many asks were answered, of those that only a fault can fail. */
  get answered(): { readonly ok: number; readonly all: number } {
    const outcomes = [
      ...this.registers.operations.map((operation) => operation.outcome),
      ...this.tallies.additions.map((addition) => addition.outcome),
      ...this.alarms.asked.map((alarm) => alarm.set),
      ...this.jobs.asked.map((job) => job.outcome),
    ];
    return { ok: outcomes.filter((outcome) => outcome === 'ok').length, all: outcomes.length };
  }

  /** True when every register, account and key answers this process. */
  async probe(process: SimulatedProcess): Promise<readonly KeyUsage[] | null> {
    const client = this.client(process, 'probe');
    for (const register of this.registers.addresses) {
      if (!(await this.registers.probe(client, register, PROBE_MS))) return null;
    }
    if (!(await this.batches.conclude(client))) return null;
    await this.files.conclude(client);
    await this.videos.conclude(client);
    const reads: (AccountRead | null)[] = [];
    for (const account of this.bank.accounts) reads.push(await this.reads.read(client, account));
    return reads.includes(null) ? null : this.reads.usages(client);
  }
}
