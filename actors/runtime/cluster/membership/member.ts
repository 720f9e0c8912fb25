import type { Cancel, Clock } from '../../ports/clock.ts';
import type { NodeLimits } from '../../ports/limits.ts';
import { type Log, textOf } from '../../ports/log.ts';
import type { NodeRow, Store } from '../../ports/store.ts';
import { HeartbeatWatch } from './heartbeat-watch.ts';
import type { StoreTime } from './store-time.ts';
import { type Condemned, condemned } from './verdict.ts';

/**
 * For this many heartbeats after its start a node beats faster, so that nodes that start together see each other soon.
 */
const YOUNG_BEATS = 3;
const YOUNG_BEATS_PER_BEAT = 5;
/** How long a new node waits for others before it takes ownerless shards. */
const SETTLE_BEATS = 0.9;
/** Contact is fresh if the last answer is younger than this many heartbeats. */
const FRESH_BEATS = 2;
/**
 * The store is out of reach if this many heartbeats in a row became due without an answer in between. The timers of a
 * stalled event loop are due once, so that its own stall never counts for more than one or two.
 */
const UNANSWERED_BEATS = 4;

/**
 * Ended incarnations that a node remembers: many times those that the store lists. One that was forgotten is unlisted,
 * so that the next answer records its end again.
 */
export const ENDED_MAX = 4_096;

/** The cluster as last read from the store, with deaths learned since then applied. */
export interface MembershipView {
  readonly nodes: readonly NodeRow[];
  /** Incarnations in the live set, by the verdict. */
  readonly live: ReadonlySet<string>;
  readonly shardsRevision: number;
}

interface Suspect {
  readonly incarnation: string;
  readonly why: string;
  readonly suspectedMs?: number;
}

interface MemberParts {
  readonly incarnation: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: NodeLimits;
  readonly time: StoreTime;
  readonly log: Log;
  /** Incarnations heard within `reachableMs`. */
  readonly reaches: () => readonly string[];
  /** True while the links with this incarnation are open both ways. */
  readonly linked: (incarnation: string) => boolean;
  /** Called after every answer of the store and after every death. */
  readonly changed: (view: MembershipView) => void;
  /** An incarnation is newly known to be dead or to have left. */
  readonly gone: (incarnation: string, why: string) => void;
  /** This node voted a node out: notify the others. */
  readonly markedDead: (incarnation: string, why: string) => void;
  /** Peers consider this node dead and the store is unreachable. May be called again. */
  readonly isolated: () => void;
  /** This node was marked dead; it never beats again. */
  readonly died: (why: string) => void;
}

/**
 * This node's membership: joins, writes its heartbeat, reads the others', judges them while its own contact is fresh, and
 * votes out the nodes that the verdict names. Dead is final, in memory and in the store.
 */
export class Member {
  readonly #parts: MemberParts;
  readonly #watch: HeartbeatWatch;
  /** Incarnations that are dead or have left, in the order in which this node learned it. */
  readonly #ended = new Map<string, { readonly why: string; hasLeft: boolean }>();
  /** Incarnations that were asked about but are not in the store's answers, and when they were first asked about. */
  readonly #unlisted = new Map<string, number>();
  readonly #bornAt: number;
  #view: MembershipView = { nodes: [], live: new Set(), shardsRevision: -1 };
  #state: 'joining' | 'up' | 'draining' = 'joining';
  #sentAt = Number.NEGATIVE_INFINITY;
  /** Heartbeats that became due since the last answer. */
  #unanswered = 0;
  #current: Promise<boolean> | null = null;
  #next: Promise<boolean> | null = null;
  #timer: Cancel = () => {};
  #failure: string | null = null;
  #stopped = false;

  constructor(parts: MemberParts) {
    this.#parts = parts;
    this.#watch = new HeartbeatWatch(parts.limits);
    this.#bornAt = parts.clock.monotonic();
  }

  get view(): MembershipView {
    return this.#view;
  }

  get draining(): boolean {
    return this.#state === 'draining';
  }

  /** True while the read lease holds; it is counted from the sending of the last answered heartbeat. */
  get connected(): boolean {
    return !this.#stopped && this.#parts.clock.monotonic() < this.#sentAt + this.#parts.limits.readLeaseMs;
  }

  /**
   * True while the store does not answer. Without it and without `connected`, only this node's own event loop stalled:
   * the heartbeat under way will tell whether others have taken over.
   */
  get isolated(): boolean {
    return !this.connected && (this.#stopped || this.#unanswered >= UNANSWERED_BEATS);
  }

  /** Ms since the sending of the last answered heartbeat, and why the newest was not answered; null if it was. */
  get contact(): { readonly ageMs: number; readonly failure: string | null } {
    return { ageMs: this.#parts.clock.monotonic() - this.#sentAt, failure: this.#failure };
  }

  /** True with fresh contact to the store, which a node needs to judge others or to take shards. */
  get fresh(): boolean {
    const age = this.#parts.clock.monotonic() - this.#sentAt;
    return !this.#stopped && age <= this.#parts.limits.heartbeatMs * FRESH_BEATS;
  }

  /**
   * False while other nodes may be starting at the same time: for the first moments of this node, and for as long again
   * while a node it sees is not linked with all others yet.
   */
  get settled(): boolean {
    const age = this.#parts.clock.monotonic() - this.#bornAt;
    const alone = this.#view.nodes.every((row) => !isAlive(row) || this.#view.live.has(row.incarnation));
    return age >= this.#parts.limits.heartbeatMs * (alone ? SETTLE_BEATS : SETTLE_BEATS * 2);
  }

  get #youngMs(): number {
    return this.#parts.limits.heartbeatMs * YOUNG_BEATS;
  }

  /** A living node by incarnation. */
  alive(incarnation: string): NodeRow | null {
    return this.#view.nodes.find((row) => row.incarnation === incarnation && isAlive(row)) ?? null;
  }

  /** True if dead: nothing it sends may be accepted. A node that left in order may still finish its answers. */
  isDead(incarnation: string): boolean {
    return this.isGone(incarnation) && this.#ended.get(incarnation)?.hasLeft !== true;
  }

  /** True if dead or left. An incarnation that the store no longer lists is judged at the next answer. */
  isGone(incarnation: string): boolean {
    if (this.#ended.has(incarnation)) return true;
    if (!this.#unlisted.has(incarnation) && !this.#view.nodes.some((row) => row.incarnation === incarnation)) {
      this.#unlisted.set(incarnation, this.#parts.clock.monotonic());
    }
    return false;
  }

  /** Beats until `stop`; resolves after the first beat. Rejects if the store refuses it. */
  async start(): Promise<void> {
    await this.#exchange();
    this.#schedule();
  }

  /** One heartbeat that starts after this call; true if it was answered. Never rejects. */
  beat(): Promise<boolean> {
    if (this.#current === null) return this.#run();
    this.#next ??= this.#current.then(() => this.#run());
    return this.#next;
  }

  /** Marks this node's row as draining: no node hands it a shard from now on. */
  drain(): Promise<boolean> {
    this.#state = 'draining';
    return this.beat();
  }

  /**
   * Votes a node out if its row is unchanged. True if this call did it. Rejects if the store fails. `suspectedMs`: for how
   * long this node has suspected it; absent where the verdict is the first suspicion.
   */
  async markDead({ incarnation, why, suspectedMs }: Suspect): Promise<boolean> {
    const row = this.alive(incarnation);
    if (!row || this.#stopped) return false;
    const since = suspectedMs === undefined ? [] : ([this.#parts.time.now() - Math.round(suspectedMs)] as const);
    if (!(await this.#parts.store.markDead(incarnation, row.beat, why, ...since))) return false;
    this.#parts.log({ level: 'warn', message: 'node marked dead', peer: row.name, incarnation, why });
    this.learnDead([incarnation], why);
    this.#parts.markedDead(incarnation, why);
    return true;
  }

  /** A newcomer that can never link with this member is voted out at once, with the reason. */
  refuse(incarnation: string, why: string): void {
    if (this.alive(incarnation)?.state === 'joining') this.#vote([{ incarnation, why }]);
  }

  /** Applies deaths that other nodes recorded. */
  learnDead(incarnations: readonly string[], why: string): void {
    const news = incarnations.filter((incarnation) => !this.#ended.has(incarnation));
    if (news.length === 0 || this.#stopped) return;
    if (news.includes(this.#parts.incarnation)) {
      this.fenced();
      return;
    }
    for (const incarnation of news) this.#recordGone(incarnation, why, false);
    this.#publish(this.#view.nodes, this.#view.shardsRevision, null);
  }

  /** Other nodes consider this node dead. The store decides; while it is unreachable, assume that they are right. */
  fenced(): void {
    if (this.#stopped) return;
    if (!this.connected) this.#parts.isolated();
    void this.beat();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer();
  }

  #schedule(): void {
    if (this.#stopped) return;
    const { clock, limits } = this.#parts;
    const young = clock.monotonic() - this.#bornAt < this.#youngMs;
    this.#timer = clock.after(young ? limits.heartbeatMs / YOUNG_BEATS_PER_BEAT : limits.heartbeatMs, () => {
      this.#unanswered += 1;
      const done = this.beat();
      this.#schedule();
      return done;
    });
  }

  #run(): Promise<boolean> {
    this.#next = null;
    const current = this.#exchange()
      .then(() => this.#noteContact(null))
      .catch((error: unknown) => this.#noteContact(textOf(error)))
      .finally(() => {
        if (this.#current === current) this.#current = null;
      });
    this.#current = current;
    return current;
  }

  /** Logs once when contact is lost and once when it returns. */
  #noteContact(failure: string | null): boolean {
    if ((failure === null) !== (this.#failure === null) && !this.#stopped) {
      if (failure === null) this.#parts.log({ level: 'info', message: 'contact with the store again' });
      else this.#parts.log({ level: 'warn', message: 'no contact with the store', why: failure });
    }
    this.#failure = failure;
    return failure === null;
  }

  async #exchange(): Promise<void> {
    if (this.#stopped) return;
    const { store, clock, time, incarnation, limits } = this.#parts;
    const sentAt = clock.monotonic();
    const answer = await store.heartbeat({ incarnation, reaches: this.#parts.reaches(), state: this.#state });
    const heardAt = clock.monotonic();
    if (this.#stopped) return;
    const own = answer.nodes.find((row) => row.incarnation === incarnation);
    if (!own || !isAlive(own)) return this.#die(own?.why ?? 'the store does not know this node');
    this.#sentAt = sentAt;
    this.#unanswered = 0;
    time.learn(answer.now, sentAt, heardAt);
    for (const row of answer.nodes) {
      if (!isAlive(row)) this.#recordGone(row.incarnation, row.why ?? row.state, row.state === 'left');
    }
    this.#resolveUnlisted(answer.nodes, sentAt);
    const slow = heardAt - sentAt > limits.heartbeatMs * FRESH_BEATS;
    this.#publish(answer.nodes, answer.shardsRevision, slow ? null : heardAt);
  }

  /** `observedAt` is null if the answer must not be used to judge other nodes. */
  #publish(rows: readonly NodeRow[], shardsRevision: number, observedAt: number | null): void {
    const nodes = rows.map((row) => {
      const why = this.#ended.get(row.incarnation)?.why;
      return why !== undefined && isAlive(row) ? ({ ...row, state: 'dead', why } as const) : row;
    });
    const alive = nodes.filter(isAlive);
    let live: ReadonlySet<string> = new Set([...this.#view.live].filter((it) => !this.#ended.has(it)));
    let out: readonly Condemned[] = [];
    if (observedAt !== null) {
      const seen = this.#watch.observe(alive, observedAt);
      live = seen.live;
      out = condemned(this.#parts.incarnation, seen.watched, live, this.#parts.limits);
    }
    this.#view = { nodes, live, shardsRevision };
    this.#parts.changed(this.#view);
    if (this.#state === 'joining' && this.#isInside(live)) this.#joined();
    this.#vote(out);
  }

  /** Only a node that is inside itself, with fresh contact, judges others. */
  #vote(out: readonly { readonly incarnation: string; readonly why: string }[]): void {
    if (!this.#view.live.has(this.#parts.incarnation) || !this.fresh) return;
    for (const one of out) {
      this.markDead(one).catch((error: unknown) =>
        this.#parts.log({ level: 'warn', message: 'vote failed', why: textOf(error) }),
      );
    }
  }

  /**
   * Linked both ways with every node of the live set, not only heard because the others have dialled this node. Alone it
   * first gives the others time: a node that starts at the same moment is dialled before it is outside.
   */
  #isInside(live: ReadonlySet<string>): boolean {
    const { incarnation, linked } = this.#parts;
    if (!live.has(incarnation)) return false;
    return live.size === 1 ? this.settled : [...live].every((each) => each === incarnation || linked(each));
  }

  /** Inside for the first time: from the next heartbeat on this node may own shards, and is judged like the others. */
  #joined(): void {
    this.#state = 'up';
    void this.beat();
  }

  #recordGone(incarnation: string, why: string, hasLeft: boolean): void {
    const known = this.#ended.get(incarnation);
    if (known !== undefined) {
      known.hasLeft ||= hasLeft;
      return;
    }
    this.#ended.set(incarnation, { why, hasLeft });
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest);
    this.#parts.gone(incarnation, why);
  }

  /**
   * The store lists every living node and the newest dead ones. An incarnation that was asked about before the query
   * was sent, and that the answer does not list, ended long ago.
   */
  #resolveUnlisted(nodes: readonly NodeRow[], sentAt: number): void {
    for (const [incarnation, askedAt] of this.#unlisted) {
      if (askedAt >= sentAt) continue;
      this.#unlisted.delete(incarnation);
      if (!nodes.some((row) => row.incarnation === incarnation)) this.#recordGone(incarnation, 'forgotten', false);
    }
  }

  #die(why: string): void {
    if (this.#stopped) return;
    this.stop();
    this.#parts.died(why);
  }
}

export function isAlive(row: NodeRow): boolean {
  return row.state !== 'dead' && row.state !== 'left';
}
