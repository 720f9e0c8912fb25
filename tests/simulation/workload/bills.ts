import { type ActorEvent, AskError, type Json } from '../../../actors/runtime/index.ts';
import type { ActivityHandler, ActivityTask } from '../../../actors/runtime/ports/activity.ts';
import type { Clock } from '../../../actors/runtime/ports/clock.ts';
import type { Bill } from '../../actors/example-kinds/clerk.ts';
import type { Movement } from '../../actors/example-kinds/purse.ts';
import type {
  BillRequested,
  BillStored,
  DeadLetterStored,
  FundStored,
} from '../../support/auditor/runtime-evidence.ts';
import { WIDE } from '../../support/wide.ts';
import type { History } from '../history.ts';
import type { Database } from '../world/database.ts';
import type { Dice } from '../world/dice.ts';
import type { Client } from './client.ts';
import { endingOf } from './ending.ts';

const FILLED = 1_000;
const AMOUNT_MAX = 60;
const UNPAYABLE = 5_000;
const DUE_MS_MAX = 5_000;
const ACTIVITY_MS_MAX = 2_000;
const ASK_MS = 2_000;
const ROWS_MAX = 1_000;
const WORK_MS = 20_000;

interface Terms {
  readonly bill: string;
  readonly amount: number;
  readonly copes: boolean;
  readonly purse: string;
}

/** Sends bills to clerks; many cannot be paid, and the actors are closed from time to time. */
export class Bills {
  readonly asked: BillRequested[] = [];
  readonly #owners: readonly string[];
  readonly #history: History;
  readonly #database: Database;

  constructor(count: number, history: History, database: Database) {
    this.#owners = Array.from({ length: count }, (_, i) => `house${i}`);
    this.#history = history;
    this.#database = database;
  }

  /** Setup, before any fault: every clerk and its purse. */
  async fill(client: Client): Promise<void> {
    for (const owner of this.#owners) {
      await client.node.ask(`purse:${owner}`, { type: 'fill', amount: FILLED }, { withinMs: 30_000 });
      await client.node.ask(`clerk:${owner}`, { type: 'open' }, { withinMs: 30_000 });
    }
  }

  async act(client: Client): Promise<void> {
    const { dice } = client;
    const share = dice.fraction();
    if (share < 0.15) return this.#turn(client, dice.pick(['clerk', 'purse']));
    if (share < 0.32) return this.#retry(client);
    const way = dice.pick(['pay', 'later', 'work', 'send'] as const);
    const owner = dice.pick(this.#owners);
    const to = way === 'send' ? dice.pick(this.#owners.filter((each) => each !== owner)) : owner;
    const bill = `bill-${this.asked.length + 1}`;
    const amount = dice.happens(0.7) ? dice.whole(1, AMOUNT_MAX) : UNPAYABLE;
    const asked: BillRequested = { bill, way, biller: `clerk:${to}`, outcome: 'unknown' };
    this.asked.push(asked);
    const terms = { bill, amount, copes: dice.happens(0.6), purse: `purse:${to}` };
    const event = eventOf(way, asked.biller, terms, dice.whole(1, DUE_MS_MAX));
    this.#history.note('bill', { ...event, owner, client: client.name });
    const ending = await endingOf(client.node.ask(`clerk:${owner}`, event, { withinMs: ASK_MS }));
    asked.outcome = ending.type;
    this.#history.note(`bill ${ending.type}`, { ...ending, bill });
    if (ending.type === 'fail' && ending.code === 'rejected') this.#history.saw('step aborted by a refusal');
  }

  /** The activity handler of one process. */
  handler({ clock }: { readonly clock: Clock }, dice: Dice): ActivityHandler {
    return {
      ...WIDE,
      run: async ({ input }: ActivityTask): Promise<Json> => {
        await new Promise<void>((resolve) => clock.after(dice.between(1, ACTIVITY_MS_MAX), resolve));
        return input;
      },
    };
  }

  /** Closes or opens one actor. */
  async #turn({ node, dice }: Client, kind: string): Promise<void> {
    const [closes, opens] = kind === 'purse' ? ['close', 'open'] : ['leave', 'back'];
    const type = dice.happens(0.5) ? closes : opens;
    await endingOf(node.ask(`${kind}:${dice.pick(this.#owners)}`, { type }, { withinMs: ASK_MS }));
  }

  /** An operator retries a dead letter. */
  async #retry({ node, dice }: Client): Promise<void> {
    const stored = this.deadLetters();
    if (stored.length === 0) return;
    const { address, id } = dice.pick(stored);
    try {
      if (await node.operator.retry(address, id)) this.#history.saw('dead letter retried');
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
    }
  }

  /** True when every bill has ended or is a dead letter. */
  get settled(): boolean {
    const waiting = new Set(this.deadLetters().map(({ bill }) => bill));
    return this.stored().every(({ state, bill }) => state !== 'waiting' || waiting.has(bill));
  }

  stored(): readonly BillStored[] {
    return this.#owners.flatMap((owner) => {
      const biller = `clerk:${owner}`;
      return this.#bodies<Bill>('bill', biller).map(({ id: bill, state, times }) => ({ biller, bill, state, times }));
    });
  }

  funds(): readonly FundStored[] {
    return this.#owners.map((owner) => {
      const address = `purse:${owner}`;
      const actor = this.#database.tables.loadActor(address)?.actor;
      const amount =
        actor === undefined ? 0 : (JSON.parse(actor.snapshot) as { context: { amount: number } }).context.amount;
      return { address, amount, filled: FILLED, payments: this.#payments(address) };
    });
  }

  #payments(address: string): FundStored['payments'] {
    return this.#bodies<Movement>('movement', address).map(({ id: bill, amount, times }) => ({ bill, amount, times }));
  }

  deadLetters(): readonly DeadLetterStored[] {
    return this.#owners.flatMap((owner) => {
      const address = `clerk:${owner}`;
      return this.#database.tables
        .query({ collection: '$dead-letters', address, limit: ROWS_MAX })
        .map(({ id, body }) => {
          const { event, failure } = JSON.parse(body) as { event: ActorEvent; failure: string };
          const result = event.result as { readonly bill?: string } | undefined;
          return { address, id, bill: String(event.bill ?? result?.bill ?? event.id), event: event.type, failure };
        });
    });
  }

  /** Records the situations that occurred, at the end of the run. */
  conclude(): void {
    const timers = new Set(this.asked.filter(({ way }) => way !== 'pay').map(({ bill }) => bill));
    for (const { bill, state } of this.stored()) {
      if (state === 'failed' && timers.has(bill)) this.#history.saw('refusal delivered to a chart');
    }
    for (const { failure } of this.deadLetters()) {
      const refused = failure.includes(' refused take') || failure.includes(' handle take');
      this.#history.saw(refused ? 'refused input dead-lettered' : 'unhandled input dead-lettered');
    }
  }

  #bodies<T>(collection: string, address: string): readonly T[] {
    const rows = this.#database.tables.query({ collection, address, limit: ROWS_MAX });
    return rows.map(({ body }) => JSON.parse(body) as T);
  }
}

/** The event by which a bill goes this way to its clerk. */
function eventOf(way: BillRequested['way'], to: string, terms: Terms, inMs: number): ActorEvent {
  const { bill } = terms;
  const message = { type: 'bill', ...terms };
  if (way === 'later') return { type: 'remind', bill, inMs, message };
  if (way === 'work') return { type: 'work', id: bill, bill, input: { ...terms }, inMs: WORK_MS };
  return way === 'send' ? { type: 'post', to, message } : message;
}
