/**
 * What changes in the cluster, for one client of the feed: nodes and owners of shards as they change, and the events and
 * alarms that are stored of it. A notice says that something may have changed; what is told is the present state, so that
 * several changes at once may be one message. Nothing is watched before `start` and after `stop`.
 */
import { ALARM } from '../../../actors/cluster-log/cluster-log.machine.ts';
import { alarmOf, CLUSTER_LOG_ADDRESS, CLUSTER_LOG_OWNER } from '../../../actors/cluster-log/cluster-log.ts';
import type { Cluster, ClusterEvent, MemberView } from '../../../actors/runtime/index.ts';
import { shownEvent } from '../timeline/takeover.ts';

/** Newest events and alarms that are compared with what the client has. */
const COMPARED_MAX = 50;

export type NewsSubject = 'nodes' | 'events';

export interface News {
  readonly type: 'nodes' | 'shards' | 'event' | 'alarm';
  readonly [member: string]: unknown;
}

type Watched = Pick<Cluster, 'operator' | 'changes' | 'rows' | 'now'>;

export class ClusterNews {
  readonly #cluster: Watched;
  readonly #subjects: ReadonlySet<NewsSubject>;
  readonly #tell: (news: News) => void;
  #stops: readonly (() => void)[] = [];
  /** Epoch by shard, as the client knows it. */
  #epochs: readonly number[] = [];
  /** Nodes and shards at the last look, as text: events are read when these differ. */
  #membership = '';
  /** The store time at which each event was told, by number; the newest first. */
  #events: ReadonlyMap<number, number> | null = null;
  /** Alarms that were told, as stored. */
  #alarms: ReadonlySet<string> | null = null;
  #reading = false;
  #again = false;

  constructor(cluster: Watched, subjects: readonly NewsSubject[], tell: (news: News) => void) {
    this.#cluster = cluster;
    this.#subjects = new Set(subjects);
    this.#tell = tell;
  }

  /** Tells the nodes at once; of what is stored, only what comes from now on. Throws at the bound of watchers. */
  start(): void {
    if (this.#subjects.size === 0) return;
    const { operator, changes } = this.#cluster;
    this.#epochs = operator.shards().map(({ epoch }) => epoch);
    const stops = [operator.watchMembers(() => this.#look())];
    this.#stops = stops;
    if (this.#subjects.has('events')) stops.push(changes.watch(CLUSTER_LOG_OWNER, () => void this.#read()));
    this.#look();
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  #look(): void {
    const { operator } = this.#cluster;
    const members = operator.members();
    const shards = operator.shards();
    const membership = JSON.stringify([
      members.map(({ incarnation, state, live }) => [incarnation, state, live]),
      shards,
    ]);
    if (this.#subjects.has('nodes')) {
      this.#tell({ type: 'nodes', at: this.#cluster.now(), nodes: members.map(shownMember) });
      this.#tellMoves(members, shards);
    }
    const isChanged = membership !== this.#membership;
    this.#membership = membership;
    if (isChanged && this.#subjects.has('events')) void this.#read();
  }

  #tellMoves(members: readonly MemberView[], shards: ReturnType<Watched['operator']['shards']>): void {
    const moved = shards.filter(({ shard, epoch }) => epoch !== this.#epochs[shard]);
    if (moved.length === 0) return;
    this.#epochs = shards.map(({ epoch }) => epoch);
    const names = new Map(members.map(({ incarnation, name }) => [incarnation, name]));
    const moves = moved.map(({ shard, owner, epoch }) => {
      return { shard, epoch, node: owner === null ? null : (names.get(owner) ?? null) };
    });
    this.#tell({ type: 'shards', moves });
  }

  /** Reads what is stored; concurrent calls share one more read. A failed one is made good by the next. */
  async #read(): Promise<void> {
    this.#again = true;
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#again && this.#stops.length > 0) {
        this.#again = false;
        await this.#readOnce();
      }
    } catch {
      this.#membership = '';
    } finally {
      this.#reading = false;
    }
  }

  async #readOnce(): Promise<void> {
    const { operator, rows } = this.#cluster;
    const query = {
      collection: ALARM,
      address: CLUSTER_LOG_ADDRESS,
      order: 'descending',
      limit: COMPARED_MAX,
    } as const;
    const [events, alarms] = await Promise.all([operator.events({ limit: COMPARED_MAX }), rows.rows(query)]);
    if (this.#stops.length === 0) return;
    this.#tellEvents(events);
    const known = this.#alarms;
    this.#alarms = new Set(alarms.map(({ body }) => body));
    if (known === null) return;
    const fresh = alarms.filter(({ body }) => !known.has(body)).reverse();
    for (const row of fresh) this.#tell({ type: 'alarm', alarm: alarmOf(row) });
  }

  /** An event of moves is told again when it has grown. */
  #tellEvents(events: readonly ClusterEvent[]): void {
    const known = this.#events;
    this.#events = new Map(events.map(({ n, at }) => [n, at]));
    if (known === null) return;
    for (const event of [...events].reverse()) {
      if (known.get(event.n) !== event.at) this.#tell({ type: 'event', event: shownEvent(event) });
    }
  }
}

function shownMember({ name, incarnation, state, live, shards, beatAt }: MemberView): object {
  return { name, incarnation, state, live, shards, beatAt };
}
