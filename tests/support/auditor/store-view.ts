import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import type { LedgerOpening } from '../../../actors/account/prune-ledger.ts';
import type { AuditState } from '../../../actors/audit/audit.machine.ts';
import { type AuditEntry, EMPTY_LOG } from '../../../actors/audit/audit-entry.ts';
import { ownerOf } from '../../../actors/runtime/actor/address.ts';
import { TransitionLog } from '../../../actors/runtime/actor/cascade/transition-log.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import type { Opening } from '../../../actors/terms/opening.ts';
import { verifyLedger } from '../verify-ledger.ts';
import { amount, text } from './amount.ts';
import type { AccountState, LedgerDump, LedgerLine, Sample } from './evidence.ts';
import type { AuditLog } from './key-evidence.ts';
import { Spending } from './spending.ts';

const TRANSITION_LOG_MAX = 50;

interface ActorRow {
  readonly address: string;
  readonly version: number;
  readonly snapshot: string;
  readonly transitions: string;
}

/** One transaction on the store: statements that both databases accept, values as `?`. */
type Query = <T>(sql: string, ...values: (string | number)[]) => Promise<T[]>;

/** The auditor's access to a store: each look is one read-only transaction. */
interface StoreWindow {
  look<T>(read: (all: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * The store as the auditor reads it: directly from the database, read-only, each look in one transaction, without the
 * product's own reading code. A look never waits for a writer and never blocks one.
 */
export class StoreView {
  readonly #window: StoreWindow;
  /** Sum of each account's ledger up to the last line read. */
  readonly #sums = new Map<string, { sequence: number; sum: bigint }>();
  readonly #spending = new Spending();

  constructor(window: StoreWindow) {
    this.#window = window;
  }

  close(): Promise<void> {
    return this.#window.close();
  }

  /** All money, and the versions of every actor. */
  dump(): Promise<LedgerDump> {
    return this.#window.look(async (all) => {
      const actors = await all<ActorRow>('SELECT address, version, snapshot, transitions FROM actors ORDER BY address');
      const entries = await bodies<LedgerEntry>(all, 'ledger');
      const openings = await newest<LedgerOpening>(all, 'ledger-opening');
      const generations = await bodies<Generation & { readonly address: string }>(all, 'generation');
      return {
        accounts: actors.filter((actor) => actor.address.startsWith('account:')).map(stateOf),
        entries: entries.map(lineOf),
        openings: [...openings.values()],
        generations: generations.map((row) => ({ account: row.address, row })),
        actors: actors.map(({ address, version, transitions }) => ({
          address,
          version,
          transitionLog: versionsIn(transitions),
        })),
        chainFaults: faultsIn(entries, openings),
      };
    });
  }

  /** One read during a run: owners, versions, and the accounts' sums beside the sums of rows and lines. */
  sample(): Promise<Sample> {
    return this.#window.look(async (all) => {
      const actors = await all<ActorRow>(
        "SELECT address, version, snapshot, transitions FROM actors WHERE kind = 'account' ORDER BY address",
      );
      const accounts: Sample['accounts'][number][] = [];
      const open: Generation[] = [];
      for (const actor of actors) {
        const fromLedger = await this.#ledgerSum(all, actor.address);
        const held = await openHolds(all, actor.address);
        open.push(...held);
        accounts.push({ ...stateOf(actor), fromLedger, openHolds: text(sumOf(held)) });
      }
      const at = Date.now();
      return {
        ...{ at, keys: this.#spending.sample(open, at) },
        shards: await all('SELECT shard, owner, epoch FROM shards ORDER BY shard'),
        versions: await all('SELECT address, version FROM actors'),
        accounts,
      };
    });
  }

  /** Owner of each shard now, by incarnation, and the live nodes. */
  owners(): Promise<Owners> {
    return this.#window.look(async (all) => {
      const nodes = await all<NodeSeen>(
        "SELECT name, incarnation, pid, state FROM nodes WHERE state IN ('joining', 'up', 'draining')",
      );
      return {
        nodes: new Map(nodes.map((node) => [node.incarnation, node])),
        shards: await all('SELECT shard, owner, epoch FROM shards ORDER BY shard'),
      };
    });
  }

  /** The bodies of all rows of a collection. */
  rows<T>(collection: string): Promise<readonly T[]> {
    return this.#window.look((all) => bodies<T>(all, collection));
  }

  /** Every audit log, with the newest entry that its actor remembers. */
  auditLogs(): Promise<readonly AuditLog[]> {
    return this.#window.look(async (all) => {
      const actors = await all<ActorRow>("SELECT address, snapshot FROM actors WHERE kind = 'audit'");
      const entries = await bodies<AuditEntry & { readonly address: string }>(all, 'audit');
      const openings = await newest<Opening>(all, 'audit-opening');
      return actors.map(({ address, snapshot }) => {
        const { last } = (JSON.parse(snapshot) as { context: AuditState }).context;
        const own = entries.filter((entry) => entry.address === address).map(({ address: _, ...entry }) => entry);
        const opening = openings.get(address) ?? EMPTY_LOG;
        return { account: ownerOf(address), entries: own, opening, head: last ?? EMPTY_LOG };
      });
    });
  }

  /** Which of these texts are in a row or in a snapshot. */
  mentioned(texts: readonly string[]): Promise<readonly string[]> {
    return this.#window.look(async (all) => {
      const found: string[] = [];
      for (const text of texts) {
        const [rows] = await all<{ n: number }>('SELECT count(*) AS n FROM rows WHERE body LIKE ?', `%${text}%`);
        const [actors] = await all<{ n: number }>(
          'SELECT count(*) AS n FROM actors WHERE snapshot LIKE ?',
          `%${text}%`,
        );
        if ((rows?.n ?? 0) + (actors?.n ?? 0) > 0) found.push(text);
      }
      return found;
    });
  }

  /** Number of open generation rows. */
  openHolds(): Promise<number> {
    return this.#window.look(async (all) => {
      const [row] = await all<{ n: number }>(
        "SELECT count(*) AS n FROM rows WHERE collection = 'generation' AND open = TRUE",
      );
      return row?.n ?? 0;
    });
  }

  /** The client's names of the generations that hold money now: `user`, or the session. */
  held(): Promise<ReadonlySet<string>> {
    return this.#window.look(async (all) => {
      const rows = await all<{ body: string }>("SELECT body FROM rows WHERE collection = 'generation' AND open = TRUE");
      const named = rows.map(({ body }) => JSON.parse(body) as Generation);
      return new Set(named.map(({ user, sessionId }) => user ?? sessionId ?? ''));
    });
  }

  async #ledgerSum(all: Query, address: string): Promise<string> {
    const known = this.#sums.get(address) ?? (await openingSum(all, address));
    const fresh = await all<{ body: string }>(
      "SELECT body FROM rows WHERE collection = 'ledger' AND address = ? AND sort > ? ORDER BY sort",
      address,
      known.sequence,
    );
    for (const { body } of fresh) {
      const entry = JSON.parse(body) as LedgerEntry;
      this.#spending.add(entry);
      const line = lineOf(entry);
      known.sum += line.type === 'charge' ? -amount(line.amount) : amount(line.amount);
      known.sequence = line.sequence;
    }
    this.#sums.set(address, known);
    return text(known.sum);
  }
}

export interface Owners {
  readonly nodes: ReadonlyMap<string, NodeSeen>;
  readonly shards: Sample['shards'];
}

/** Sum and sequence at which the ledger begins. */
async function openingSum(all: Query, address: string): Promise<{ sequence: number; sum: bigint }> {
  const opening = (await newest<LedgerOpening>(all, 'ledger-opening')).get(address);
  return { sequence: opening?.sequence ?? 0, sum: amount(opening?.balance ?? '0') };
}

/** The last row of each actor. */
async function newest<T>(all: Query, collection: string): Promise<ReadonlyMap<string, T>> {
  const rows = await bodies<T & { readonly address: string }>(all, collection);
  return new Map(rows.map((row) => [row.address, row]));
}

async function openHolds(all: Query, address: string): Promise<readonly Generation[]> {
  const rows = await all<{ body: string }>(
    "SELECT body FROM rows WHERE collection = 'generation' AND address = ? AND open = TRUE",
    address,
  );
  return rows.map(({ body }) => JSON.parse(body) as Generation);
}

function sumOf(held: readonly Generation[]): bigint {
  return held.reduce((sum, { amount: each }) => sum + amount(each), 0n);
}

async function bodies<T>(all: Query, collection: string): Promise<readonly T[]> {
  const rows = await all<{ address: string; body: string }>(
    'SELECT address, body FROM rows WHERE collection = ? ORDER BY address, sort, id',
    collection,
  );
  return rows.map(({ address, body }) => ({ ...(JSON.parse(body) as T), address }));
}

export interface NodeSeen {
  readonly name: string;
  readonly incarnation: string;
  readonly pid: number;
  readonly state: string;
}

function stateOf(actor: ActorRow): AccountState {
  const { context } = JSON.parse(actor.snapshot) as { context: { balance: string; held: string } };
  return { address: actor.address, balance: context.balance, held: context.held };
}

/** A negative adjustment is stored without a sign, with its sides swapped. */
function lineOf(entry: LedgerEntry): LedgerLine {
  const away = entry.type !== 'charge' && entry.from === 'balance';
  return {
    account: entry.account,
    sequence: entry.sequence,
    type: entry.type,
    amount: away ? `-${entry.amount}` : entry.amount,
    balance: entry.balance,
    generation: entry.type === 'charge' ? entry.ref : null,
    ref: entry.ref,
  };
}

function faultsIn(entries: readonly LedgerEntry[], openings: ReadonlyMap<string, LedgerOpening>): readonly string[] {
  const faults: string[] = [];
  for (const account of new Set(entries.map((entry) => entry.account))) {
    const own = entries.filter((entry) => entry.account === account).map(bare);
    const verdict = verifyLedger(own, openings.get(account));
    if (!verdict.sound) faults.push(`${account} line ${verdict.sequence}: ${verdict.reason}`);
  }
  return faults;
}

/** The entry without the address of its row. */
function bare(entry: LedgerEntry): LedgerEntry {
  const { address: _, ...rest } = entry as LedgerEntry & { address?: string };
  return rest;
}

/** Reads with the product's own code, because the stored form is private to `TransitionLog`. */
function versionsIn(stored: string): readonly number[] {
  const transitionLog = new TransitionLog(TRANSITION_LOG_MAX, { epoch: 0, node: '' });
  transitionLog.restore(stored);
  return transitionLog.steps().map(([version]) => version);
}
