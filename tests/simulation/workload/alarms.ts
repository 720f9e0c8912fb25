import type { ActorEvent } from '../../../actors/runtime/index.ts';
import type { Work } from '../../actors/example-kinds/job.ts';
import type { AlarmRequested, AlarmStored, Outcome } from '../../support/auditor/runtime-evidence.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import { type Client, pause } from './client.ts';
import { endingOf } from './ending.ts';

const ASK_MS_MIN = 300;
const ASK_MS_MAX = 3_000;
const DUE_MS_MAX = 15_000;
/** An alarm later than this fired after a takeover of its shard. */
const LATE_MS = 1_000;

/** Sets alarms, which are jobs without an activity, near and far, and cancels some of them. */
export class Alarms {
  readonly asked: AlarmRequested[] = [];
  readonly #addresses: readonly string[];
  readonly #history: History;
  readonly #database: Database;

  constructor(count: number, history: History, database: Database) {
    this.#addresses = Array.from({ length: count }, (_, i) => `job:c${i}`);
    this.#history = history;
    this.#database = database;
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const name = `alarm-${this.asked.length + 1}`;
    const alarm: AlarmRequested = { address: dice.pick(this.#addresses), name, set: 'unknown', cancel: 'none' };
    this.asked.push(alarm);
    const inMs = dice.happens(0.3) ? dice.whole(0, 100) : dice.whole(100, DUE_MS_MAX);
    alarm.set = await this.#ask(client, alarm, { type: 'job.begin', id: name, inMs, waits: true });
    if (!dice.happens(0.25)) return;
    await pause(client, dice.between(0, inMs));
    alarm.cancel = 'unknown';
    alarm.cancel = await this.#ask(client, alarm, { type: 'job.cancel', id: name });
  }

  async #ask(
    client: Client,
    { address }: AlarmRequested,
    event: ActorEvent & { readonly id: string },
  ): Promise<Outcome> {
    this.#history.note(event.type, { address, ...event, client: client.name });
    const ending = await endingOf(
      client.node.ask(address, event, { withinMs: client.dice.between(ASK_MS_MIN, ASK_MS_MAX) }),
    );
    this.#history.note(`${event.type} ${ending.type}`, { name: event.id, ...ending });
    return ending.type;
  }

  /** True when every alarm has fired or was cancelled. */
  get silent(): boolean {
    return this.stored().every((alarm) => alarm.cancelled || alarm.rings > 0);
  }

  /** Records the situations that occurred, at the end of the run. */
  conclude(): void {
    for (const { rangAt, dueAt, cancelled } of this.stored()) {
      if (cancelled) this.#history.saw('alarm cancelled');
      if (rangAt !== null && rangAt - dueAt > LATE_MS) this.#history.saw('overdue alarm fired');
    }
  }

  stored(): readonly AlarmStored[] {
    return this.#addresses.flatMap((address) =>
      this.#database.tables.query({ collection: 'work', address, limit: 1_000 }).map((row) => {
        const { id: name, state, dueAt, ends: rings, endedAt: rangAt } = JSON.parse(row.body) as Work;
        return { address, name, dueAt, rings, rangAt, cancelled: state === 'cancelled' };
      }),
    );
  }
}
