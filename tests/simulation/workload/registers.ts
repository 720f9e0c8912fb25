import { type ActorEvent, type Json, shardOf } from '../../../actors/runtime/index.ts';
import type { RegisterOperation, Shown } from '../../support/auditor/runtime-evidence.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Client } from './client.ts';
import { endingOf } from './ending.ts';

/** The reply of a counter: its note is the value of the register, its total counts the changes. */
interface Shows {
  readonly note: string | null;
  readonly total: number;
}

const ASK_MS_MIN = 300;
const ASK_MS_MAX = 4_000;

/** Writes, reads and swaps registers; every written value is unique. */
export class Registers {
  readonly operations: RegisterOperation[] = [];
  readonly shown: Shown[] = [];
  readonly addresses: readonly string[];
  readonly #history: History;
  readonly #database: Database;
  #values = 0;

  constructor(count: number, history: History, database: Database) {
    this.addresses = Array.from({ length: count }, (_, i) => `counter:r${i}`);
    this.#history = history;
    this.#database = database;
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const kind = dice.pick(['read', 'read', 'write', 'write', 'swap'] as const);
    await this.#run(client, dice.pick(this.addresses), kind, dice.between(ASK_MS_MIN, ASK_MS_MAX));
  }

  /** A write and a read; both must be answered. */
  async probe(client: Client, register: string, withinMs: number): Promise<boolean> {
    const written = await this.#run(client, register, 'write', withinMs);
    const read = await this.#run(client, register, 'read', withinMs);
    return written.outcome === 'ok' && read.outcome === 'ok';
  }

  async #run(
    client: Client,
    register: string,
    kind: 'read' | 'write' | 'swap',
    withinMs: number,
  ): Promise<RegisterOperation> {
    const value = `v${++this.#values}`;
    const operation = this.#begin(client, register, kind, value);
    const ending = await endingOf(client.node.ask(register, eventOf(operation), { withinMs }));
    operation.endAt = this.#database.scheduler.now;
    operation.outcome = ending.type;
    if (ending.type === 'ok') this.#succeeded(client, operation, ending.body as unknown as Shows);
    else this.#history.note(`${kind} ${ending.type}`, { register, value, code: ending.code, client: client.name });
    return operation;
  }

  #begin(client: Client, register: string, kind: 'read' | 'write' | 'swap', value: string): RegisterOperation {
    const seen = this.operations.findLast((other) => other.register === register && other.seen !== null)?.seen ?? null;
    const action =
      kind === 'read' ? { type: kind } : kind === 'write' ? { type: kind, value } : { type: kind, expect: seen, value };
    const at = this.#database.scheduler.now;
    const operation: RegisterOperation = {
      ...{
        register,
        shard: shardOf(register, this.#database.shardCount),
        at,
        action,
        endAt: null,
        outcome: 'unknown',
        seen: null,
        swapped: null,
      },
    };
    this.operations.push(operation);
    this.#history.note(kind, { register, value, client: client.name });
    return operation;
  }

  #succeeded(client: Client, operation: RegisterOperation, { note: value, total: count }: Shows): void {
    const { register, action } = operation;
    const swapped = action.type === 'swap' ? action.value === value : null;
    operation.seen = value;
    operation.swapped = swapped;
    const stored = this.storedCount(register);
    this.shown.push({
      at: this.#database.scheduler.now,
      what: `answer to ${action.type}`,
      address: register,
      count,
      stored,
    });
    this.#history.note(`${action.type} ok`, { register, value, count, swapped, client: client.name });
  }

  storedCount(register: string): number {
    const actor = this.#database.tables.loadActor(register)?.actor;
    return actor === undefined ? 0 : countIn(JSON.parse(actor.snapshot) as Json);
  }
}

function countIn(snapshot: Json): number {
  return (snapshot as { context: { total: number } }).context.total;
}

function eventOf({ action }: RegisterOperation): ActorEvent {
  if (action.type === 'read') return { type: 'read' };
  const write = { type: 'publish', by: 1, note: action.value };
  return action.type === 'write' ? write : { ...write, expect: action.expect };
}
