import type { Answer } from '../../actor/answer.ts';
import { Cascade } from '../../actor/cascade/cascade.ts';
import type { Cell } from '../../actor/cascade/cell.ts';
import { FAILURES_MAX, mayBeDeferred } from '../../actor/cascade/dead-letter.ts';
import { type Firing, type LaneName, type Mail, ownMail } from '../../actor/cascade/mailbox.ts';
import { Sequence } from '../../actor/cascade/sequence.ts';
import type { SystemMessage } from '../../actor/cascade/system-message.ts';
import type { ActorEvent } from '../../actor/event.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EngineLimits } from '../../ports/limits.ts';
import { EXPIRED, quarantined } from '../failures.ts';
import type { CellRegistry } from '../residency/cell-registry.ts';
import { Fetcher, type Loader } from '../residency/loader.ts';
import type { Quiescence } from '../residency/quiescence.ts';
import type { Residents } from '../residency/residents.ts';
import type { Shard } from '../shard.ts';
import { Conclusion, type ConclusionParts, finish } from './conclusion.ts';
import { Replay } from './replay.ts';
import { RunQueue } from './run-queue.ts';

/** Steps of one turn, before the event loop runs other callbacks. */
const STEPS_PER_TURN_MAX = 2_048;
const LANE_FULL_RETRY_MS = 250;
const NOTICE_RETRY_MS = 1_000;

/** The dependencies of a dispatcher, and of its conclusion. */
interface DispatcherParts extends Omit<ConclusionParts, 'cascade' | 'sequence'> {
  readonly registry: CellRegistry;
  readonly loader: Loader;
  readonly residents: Residents;
  readonly quiescence: Quiescence;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  /** The incarnation of this node. */
  readonly self: string;
}

/**
 * Serves runnable cells in turn, one message at a time: steps the message and its cascade, and passes the end on to the
 * conclusion. It never waits: a message that lacks an actor or row is parked with its actor and stepped again after
 * loading.
 */
export class Dispatcher {
  private readonly parts: DispatcherParts;
  private readonly cascade: Cascade;
  private readonly conclusion: Conclusion;
  private readonly fetcher: Fetcher;
  private readonly replay: Replay;
  private readonly runnable: RunQueue;
  private running = false;
  private resuming = false;

  constructor(parts: DispatcherParts) {
    const { registry, loader, queue, clock, host, limits, self } = parts;
    const sequence = new Sequence();
    this.parts = parts;
    this.cascade = new Cascade(registry, limits.cascadeStepsMax, self, sequence);
    this.conclusion = new Conclusion({ ...parts, cascade: this.cascade, sequence });
    this.runnable = new RunQueue(queue);
    this.fetcher = new Fetcher(loader, registry, this);
    this.replay = new Replay({ registry, clock, host, lanes: this });
  }

  /** Steps taken, including failed ones. */
  get steps(): number {
    return this.cascade.steps;
  }

  /** Events without a transition in their actor's chart. */
  get unhandled(): number {
    return this.cascade.unhandled;
  }

  /** Inputs that became dead letters here. */
  get deadLetters(): number {
    return this.conclusion.deadLetters;
  }

  /** The cell of an address of this shard. Starts loading it if it is not in memory. */
  cellOf(address: string, shard: Shard): Cell {
    const { registry, residents } = this.parts;
    const known = registry.cells.get(address);
    if (known !== undefined) return known;
    const cell = registry.open(address, shard);
    residents.opened();
    this.load(cell);
    return cell;
  }

  /** Loads a new or rewound cell. */
  load(cell: Cell): void {
    const { registry, loader, quiescence } = this.parts;
    cell.onLoaded.push((failure) => {
      if (failure === null) {
        if (cell.phase === 'ready') this.replay.start(cell);
        this.wake(cell);
      } else {
        registry.remove(cell);
        this.turnAway(cell, failure);
        quiescence.check();
      }
    });
    loader.load(cell);
  }

  /** Queues a message; false when its lane is full. */
  offer(cell: Cell, shard: Shard, lane: LaneName, mail: Mail): boolean {
    if (!cell.mailbox.offer(lane, mail, this.parts.limits)) return false;
    mail.since = this.parts.clock.monotonic();
    shard.mails++;
    if (cell.phase !== 'loading' && cell.awaiting === 0) this.wake(cell);
    return true;
  }

  /** Queues a due timer in the system lane, or a deferred input before all lanes; false when its lane is full. */
  enqueue(shard: Shard, address: string, event: ActorEvent, firing: Firing): boolean {
    const lane = firing.deferred === undefined ? 'system' : 'deferred';
    const mail = ownMail(event, { answer: null, firing, systemMessage: null });
    return this.offer(this.cellOf(address, shard), shard, lane, mail);
  }

  /** A stored timer does not load: quarantines its whole actor, loaded or not. */
  damaged(shard: Shard, address: string, fault: string): void {
    const { registry, host } = this.parts;
    if (shard.faults.has(address)) return;
    shard.faults.set(address, fault);
    if (registry.faultOf(address) !== null) {
      const message = 'a stored timer belongs to no known actor';
      host.log({ level: 'error', message, address, detail: fault });
      return;
    }
    // A cell that is still loading finds the fault when it has loaded.
    const cell = this.cellOf(address, shard);
    if (cell.phase !== 'ready') return;
    registry.quarantine(cell, fault);
    if (cell.parked === null) this.wake(cell);
  }

  /** Queues a system message about an actor's activity; false when the lane is full. */
  bring(shard: Shard, address: string, systemMessage: SystemMessage, answer: NonNullable<Mail['answer']>): boolean {
    const mail = ownMail({ type: systemMessage.type }, { answer, firing: null, systemMessage });
    return this.offer(this.cellOf(address, shard), shard, 'finish', mail);
  }

  /**
   * Delivers a notice of the runtime. Retries while the store refuses the load or the commit, and while the step
   * throws, until the notice is a dead letter. Retries end with the shard: its next owner issues its own notices.
   */
  notifyUntilTaken(address: string, event: ActorEvent, failures = 0): void {
    const { registry, clock } = this.parts;
    const again = (delayMs: number, times: number): void => {
      clock.after(delayMs, () => this.notifyUntilTaken(address, event, times));
    };
    const answered = (answer: Answer): void => {
      if (answer.ok) return;
      const { code } = answer.failure;
      if (code === 'refused') again(NOTICE_RETRY_MS, failures);
      else if (code === 'failed') again(NOTICE_RETRY_MS * (failures + 1), failures + 1);
    };
    const shard = registry.shardOf(address);
    if (shard === undefined) return;
    const systemMessage = { type: 'notice', last: failures >= FAILURES_MAX - 1 } as const;
    const mail = ownMail(event, { answer: answered, firing: null, systemMessage });
    if (!this.offer(this.cellOf(address, shard), shard, 'system', mail)) again(LANE_FULL_RETRY_MS, failures);
  }

  /** Queues the cell to be served in its turn. */
  wake(cell: Cell): void {
    if (!cell.queued) {
      cell.queued = true;
      this.runnable.add(cell);
    }
    if (!this.running) this.run();
  }

  /** Runs `work`, then serves the cells that it woke. */
  after(work: () => void): void {
    const outer = this.running;
    this.running = true;
    try {
      work();
    } finally {
      this.running = outer;
      if (!outer) this.run();
    }
  }

  /** Answers every message that waits for a cell, stepped or not, and empties its mailbox. */
  turnAway(cell: Cell, answer: Answer): void {
    const shard = cell.shard as Shard;
    for (;;) {
      const mail = cell.parked ?? cell.mailbox.take();
      cell.parked = null;
      if (mail === null) return;
      this.conclusion.postpone(shard, mail, answer);
    }
  }

  /** Serves until no cell is runnable, the turn's step limit is reached, or the commit queue is full. */
  private run(): void {
    if (this.running) return;
    this.running = true;
    const stop = this.cascade.steps + STEPS_PER_TURN_MAX;
    const { runnable } = this;
    runnable.ease();
    let more = false;
    try {
      while (this.cascade.steps < stop) {
        const cell = runnable.take();
        if (cell === null) break;
        cell.queued = false;
        this.serve(cell);
      }
    } finally {
      more = runnable.waits;
      this.running = false;
    }
    this.parts.quiescence.check();
    // Cells of a full line are served after its batch was judged.
    if (more) this.resume();
  }

  private resume(): void {
    if (this.resuming) return;
    this.resuming = true;
    this.parts.clock.after(0, () => {
      this.resuming = false;
      this.run();
    });
  }

  private serve(cell: Cell): void {
    const { registry } = this.parts;
    const shard = registry.shardOfCell(cell);
    if (shard === null || cell.phase === 'loading' || cell.awaiting > 0) return;
    const mail = cell.parked ?? cell.mailbox.take();
    if (mail !== null) {
      cell.parked = null;
      registry.order.touch(cell);
      if (!this.endsUnstepped(cell, shard, mail)) this.stepMail(cell, shard, mail);
    }
    if (cell.awaiting > 0) return;
    if (cell.mailbox.size > 0) this.wake(cell);
    else registry.tidy(cell);
  }

  /** Ends a message that needs no step. */
  private endsUnstepped(cell: Cell, shard: Shard, mail: Mail): boolean {
    const answer = this.answerUnstepped(cell, mail);
    if (answer === 'deferred') this.conclusion.deferAsk(cell, shard, mail);
    else if (answer !== null) this.conclusion.postpone(shard, mail, answer);
    else if (mail.firing !== null && !mail.firing.current()) finish(shard, mail);
    else return false;
    return true;
  }

  private answerUnstepped(cell: Cell, mail: Mail): Answer | 'deferred' | null {
    if (mail.fetched !== null && mail.fetched.failure !== null) return mail.fetched.failure;
    if (mail.deadline !== Number.POSITIVE_INFINITY && this.parts.clock.monotonic() >= mail.deadline) return EXPIRED;
    if (cell.phase !== 'quarantined') return null;
    return isDeferredAsk(cell, mail) ? 'deferred' : quarantined(cell.address, cell.fault);
  }

  private stepMail(cell: Cell, shard: Shard, mail: Mail): void {
    const { cascade, conclusion } = this;
    const end = cascade.run(cell, mail, this.parts.now());
    if (end === 'lacking') {
      if (!this.fetcher.fetch(cell, mail, cascade.lacking, cascade.lackingRow)) conclusion.giveUp(shard, mail);
    } else if (end === 'stopping') {
      // The entry that ends the actor wakes the cell when it is durable.
      cell.parked = mail;
      cell.awaiting = 1;
    } else {
      for (const { address, event } of conclusion.conclude(cell, shard, mail, end)) {
        this.notifyUntilTaken(address, event);
      }
    }
  }
}

/**
 * True for an ask that a quarantined actor must not refuse. Only asks with a deadline qualify: inputs from the engine
 * have none and are delivered again when the actor loads, and tells may be lost at any time.
 */
function isDeferredAsk(cell: Cell, { event, answer, deadline, firing, systemMessage }: Mail): boolean {
  if (answer === null || deadline === Number.POSITIVE_INFINITY) return false;
  return firing === null && systemMessage === null && mayBeDeferred(cell, event.type);
}
