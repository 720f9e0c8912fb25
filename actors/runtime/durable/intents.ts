import { BriefMap } from '../actor/brief-map.ts';
import type { RowWrite } from '../actor/held-rows.ts';
import type { AttemptEnd, Intent } from '../actor/intent.ts';
import type { Parcel } from '../actor/parcel.ts';
import { FAILURES_MAX } from '../actor/set-aside.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { RowRecord } from '../ports/store.ts';
import type { EngineHost } from './engine.ts';
import type { HeldShard } from './held-shard.ts';
import type { Attempt, Outside } from './outside.ts';
import type { Performing } from './performing.ts';
import type { Runner } from './runner.ts';

/** How often what runs elsewhere, or should have ended, is looked at. */
const LOOK_MS = 1_000;
/** A runner is asked this often whether it still runs what is said of it. */
const CHECK_MS = 5_000;
/** How long after its deadline the owner ends an attempt whose runner did not. */
const GRACE_MS = 5_000;

/** An open intent of a shard served here. */
interface Known {
  readonly home: HeldShard;
  readonly address: string;
  readonly id: string;
  intent: Intent;
  /** Its end is on its way to the actor. */
  ending: boolean;
  thrown: number;
  /** Monotonic ms. */
  checkedAt: number;
}

/** The open intents of one shard. `touched`: those written while an earlier owner's are being read. */
interface Book {
  readonly known: BriefMap<Known>;
  touched: Set<string> | null;
  resting: boolean;
}

/** What intents work with. */
export interface IntentsParts {
  readonly self: string;
  readonly outside: Outside;
  readonly performing: Performing;
  readonly runner: () => Runner;
  readonly clock: Clock;
  readonly now: () => number;
  readonly host: EngineHost;
}

/**
 * The owner's side of work in the world: begins what is durable, knows which node runs what, and ends an attempt whose
 * runner is gone or late. A runner that lives goes on, whoever owns the shard.
 */
export class Intents {
  private readonly parts: IntentsParts;
  private readonly books = new Map<HeldShard, Book>();
  private look: Cancel | null = null;

  constructor(parts: IntentsParts) {
    this.parts = parts;
  }

  open(home: HeldShard): void {
    this.books.set(home, { known: new BriefMap(), touched: new Set(), resting: false });
  }

  /** What an earlier owner left. */
  fill(home: HeldShard, records: readonly RowRecord[]): void {
    const book = this.books.get(home);
    if (book === undefined || book.touched === null) return;
    for (const { address, id, body } of records) {
      if (book.touched.has(keyOf(address, id))) continue;
      this.take(home, book, address, id, JSON.parse(body) as Intent);
    }
    book.touched = null;
    this.examine();
  }

  /** The entry that writes or removes this intent is durable. */
  durable(home: HeldShard, { beside: { address }, id, body, removed }: RowWrite): void {
    const book = this.books.get(home);
    if (book === undefined) return;
    const key = keyOf(address, id);
    book.touched?.add(key);
    const before = book.known.get(key);
    const intent = removed ? null : (body as Intent);
    if (before !== undefined && before.intent.attempt !== intent?.attempt) this.abort(before);
    if (intent === null) book.known.delete(key);
    else this.take(home, book, address, id, intent);
  }

  rest(home: HeldShard): void {
    const book = this.books.get(home);
    if (book !== undefined) book.resting = true;
  }

  forget(home: HeldShard): void {
    this.books.delete(home);
  }

  close(): void {
    this.look?.();
    this.look = null;
    this.books.clear();
  }

  /** Looks at everything now: a node has died. */
  examine(): void {
    const { clock, host } = this.parts;
    const checks = new Map<string, Known[]>();
    const at = clock.monotonic();
    let open = 0;
    for (const book of this.books.values()) {
      if (book.resting) continue;
      for (const known of book.known.values()) {
        open++;
        if (known.ending) continue;
        const { runner, deadlineAt } = known.intent;
        if (host.isGone(runner)) this.bury(known);
        else if (this.parts.now() > deadlineAt + GRACE_MS && !this.isOurs(known)) this.end(known, LATE);
        else if (runner === this.parts.self) this.begin(known);
        else if (at - known.checkedAt >= CHECK_MS) {
          known.checkedAt = at;
          checks.set(runner, [...(checks.get(runner) ?? []), known]);
        }
      }
    }
    for (const [runner, those] of checks) this.check(runner, those);
    if (open > 0) this.arm();
  }

  private take(home: HeldShard, book: Book, address: string, id: string, intent: Intent): void {
    const checkedAt = this.parts.clock.monotonic();
    const known = { home, address, id, intent, ending: false, thrown: 0, checkedAt };
    book.known.set(keyOf(address, id), known);
    if (intent.runner === this.parts.self && !book.resting) this.begin(known);
    this.arm();
  }

  private arm(): void {
    this.look ??= this.parts.clock.after(LOOK_MS, () => {
      this.look = null;
      this.examine();
    });
  }

  /** This node has it and will tell how it ended: a result found in time is not thrown away because telling took long. */
  private isOurs({ address, id, intent: { attempt } }: Known): boolean {
    return this.parts.performing.has({ address, id, attempt });
  }

  private begin({ address, id, intent }: Known): void {
    this.parts.performing.start(address, id, intent);
  }

  private abort({ address, id, intent }: Known): void {
    const { self, performing, outside, host } = this.parts;
    const attempt = { address, id, attempt: intent.attempt };
    if (intent.runner === self) performing.abort(attempt);
    else if (!host.isGone(intent.runner)) outside.abort(intent.runner, [attempt]);
  }

  private bury(known: Known): void {
    const cause = this.parts.outside.causeOf(known.intent.runner);
    if (cause !== null) this.end(known, { type: 'died', ownHand: cause === 'own-hand' });
  }

  /** A node that lives but does not run what is said of it never will: its memory of the shard was lost. */
  private check(runner: string, those: readonly Known[]): void {
    const asked = new Map(those.map((known) => [keyOf(known.address, known.id), known]));
    const attempts = those.map(({ address, id, intent: { attempt } }): Attempt => ({ address, id, attempt }));
    this.parts.outside.missing(runner, attempts).then(
      (missing) => {
        for (const { address, id, attempt } of missing) {
          const known = asked.get(keyOf(address, id));
          if (known?.intent.attempt === attempt && !known.ending) this.end(known, { type: 'died', ownHand: false });
        }
      },
      () => {
        // Not reached: asked again later, and should it be dead the cluster will say so.
      },
    );
  }

  private end(known: Known, end: AttemptEnd): void {
    const { home, address, id, intent, thrown } = known;
    const book = this.books.get(home);
    if (book?.known.get(keyOf(address, id)) !== known || home.serving !== 'live') return;
    known.ending = true;
    const last = thrown >= FAILURES_MAX - 1;
    const parcel: Parcel = { type: 'result', id, attempt: intent.attempt, end, last };
    const taken = this.parts.runner().bring(home, address, parcel, (answer) => {
      if (answer.ok) return;
      if (answer.failure.code === 'failed') known.thrown++;
      known.ending = false;
    });
    if (!taken) known.ending = false;
  }
}

const LATE: AttemptEnd = {
  type: 'failed',
  code: 'deadline',
  message: 'its deadline is over and nothing was heard of its runner',
  retriable: false,
};

function keyOf(address: string, id: string): string {
  return `${address} ${id}`;
}
