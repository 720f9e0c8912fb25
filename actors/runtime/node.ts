import { shardOf } from './actor/address.ts';
import { register } from './actor/charts/register.ts';
import type { ActorEvent, Json } from './actor/event.ts';
import { BoardExchange } from './cluster/board-exchange.ts';
import { Calls, openClusterPort } from './cluster/calls.ts';
import { ChartLevels } from './cluster/chart-levels.ts';
import { type AskOptions, type Cluster, type ClusterNode, type RowReader, rowReader } from './cluster/cluster.ts';
import { Drain } from './cluster/drain.ts';
import type { Terms } from './cluster/handshake.ts';
import { Deaths } from './cluster/membership/deaths.ts';
import { FailureReports } from './cluster/membership/failure-reports.ts';
import { Member, type MembershipView } from './cluster/membership/member.ts';
import { StoreTime } from './cluster/membership/store-time.ts';
import type { NodeParts, TransportFactory } from './cluster/node-parts.ts';
import { NoticeBoard } from './cluster/notice-board.ts';
import { ClusterOperator } from './cluster/operator.ts';
import { Peers } from './cluster/peers.ts';
import type { PeriodicTask } from './cluster/periodic-task.ts';
import { Router } from './cluster/router.ts';
import { Handoff } from './cluster/shards/handoff.ts';
import { Ownership } from './cluster/shards/ownership.ts';
import { Readiness } from './cluster/shards/readiness.ts';
import { ShardMap } from './cluster/shards/shard-map.ts';
import type { Signal } from './cluster/signal.ts';
import { signalRouter } from './cluster/signal-router.ts';
import { periodicTasks } from './cluster/sweeps.ts';
import { ClusterWatchers } from './cluster/watchers.ts';
import { createEngine, type EngineOptions } from './durable/engine/create-engine.ts';
import type { Engine, EngineHost } from './durable/engine.ts';
import type { NodeLimits } from './ports/limits.ts';
import { textOf } from './ports/log.ts';
import type { ShardRow } from './ports/store.ts';
import type { Transport } from './ports/transport.ts';

export type { ClusterNode, NodeLimits, NodeParts, TransportFactory };

const FAREWELL_MS = 250;

/** Starts one node: listens, registers, joins. Resolves when it is a member; `ready` follows. */
export async function startNode(parts: NodeParts): Promise<ClusterNode> {
  const shards = await parts.store.setting('shards', String(parts.limits.shards));
  if (shards !== String(parts.limits.shards)) {
    throw new Error(`the store was made with ${shards} shards: set runtime.shards to ${shards}`);
  }
  const node = new Node(parts);
  try {
    await node.start();
  } catch (error) {
    await node.abandon();
    throw error;
  }
  return node;
}

/** Wires the parts of one node. Its only rule is the order in which they start and stop. */
class Node implements ClusterNode {
  readonly board: BoardExchange;
  readonly changes: ClusterWatchers;
  readonly operator: ClusterOperator;
  readonly rows: RowReader;
  readonly #parts: NodeParts;
  readonly #incarnation: string;
  readonly #time: StoreTime;
  readonly #levels: ChartLevels;
  readonly #map: ShardMap;
  readonly #engine: Engine;
  readonly #transport: Transport;
  readonly #member: Member;
  readonly #peers: Peers;
  readonly #router: Router;
  readonly #ownership: Ownership;
  readonly #handoff: Handoff;
  readonly #readiness: Readiness;
  readonly #drain: Drain;
  readonly #calls: Calls;
  readonly #failureReports: FailureReports;
  readonly #periodicTasks: readonly PeriodicTask[];
  readonly #signalled: ReturnType<typeof signalRouter>;
  #birth = 0;
  #address: string;
  #ended = false;
  #leaving: Promise<void> | null = null;
  #serves = false;

  constructor(parts: NodeParts) {
    const { store, clock, limits, log } = parts;
    this.#parts = parts;
    this.#address = parts.grpcAddress;
    const self = Buffer.from(parts.random.bytes(12)).toString('hex');
    this.#incarnation = self;
    this.#time = new StoreTime(clock);
    const kinds = parts.kinds.map(register);
    const base = {
      self,
      kinds,
      store,
      clock,
      limits,
      log,
      member: (): Member => this.#member,
      now: (): number => this.#time.now(),
      send: (incarnation: string, signal: Signal): boolean => this.#peers.send(incarnation, signal),
      broadcast: (signal: Signal): void => this.#peers.broadcast(signal),
      linked: (incarnation: string): boolean => this.#peers.linked(incarnation),
    };
    this.rows = rowReader(store);
    this.changes = new ClusterWatchers({ ...base, host: parts, engine: () => this.#engine });
    this.#levels = new ChartLevels({ ...base, chartsOf: (incarnation) => this.#peers.chartsOf(incarnation) });
    this.#map = new ShardMap(limits.shards, (shard) => this.#ownerChanged(shard));
    const deaths = new Deaths(base);
    this.#engine = this.#makeEngine(base, deaths);
    this.#transport = parts.transport({ clock, random: parts.random, limits, secret: parts.secret });
    this.#member = this.#makeMember();
    this.#peers = this.#makePeers();
    const board = new NoticeBoard(log);
    this.board = new BoardExchange({ ...base, board });
    this.#calls = new Calls({ ...base, serve: (call) => this.operator.serve(call) });
    const engine = this.#engine;
    const served = { ...base, engine, map: this.#map, member: this.#member, calls: this.#calls };
    this.#router = new Router(served);
    this.#ownership = new Ownership({
      ...served,
      resumptions: this.changes.resumptions,
      took: (rows) => this.#announce(rows),
      adopted: (shard) => this.#router.wake(shard),
    });
    const owned = { ...served, ownership: this.#ownership, watchers: this.changes };
    this.#readiness = new Readiness({ ...owned, becameReady: () => this.#becameReady() });
    this.#handoff = new Handoff({
      ...owned,
      isReady: (incarnation) => this.#readiness.isPeerReady(incarnation) && this.#peers.linked(incarnation),
      gave: (row) => this.#announce([row]),
    });
    const moved = { ...owned, handoff: this.#handoff, readiness: this.#readiness };
    this.#drain = new Drain({ ...moved, running: engine.activities, node: parts });
    this.operator = new ClusterOperator({ ...owned, kinds, router: this.#router, deaths, host: parts });
    this.#signalled = signalRouter({ ...moved, drain: this.#drain, exchange: this.board, board });
    this.#failureReports = new FailureReports({ ...served, host: parts.host, transport: this.#transport });
    this.#periodicTasks = periodicTasks({ ...parts, self, member: this.#member, now: base.now });
  }

  get self(): Cluster['self'] {
    const { name } = this.#parts;
    return { name, incarnation: this.#incarnation, birth: this.#birth, address: this.#address };
  }

  get ready(): boolean {
    return this.#readiness.ready && !this.#ended;
  }

  get connected(): boolean {
    return this.#member.connected;
  }

  get isolated(): boolean {
    return this.#member.isolated;
  }

  ask(to: string, event: ActorEvent, options: AskOptions): Promise<Json> {
    return this.#router.ask(to, event, options);
  }

  tell(to: string, event: ActorEvent): void {
    this.#router.tell(to, event);
  }

  owns(address: string): boolean {
    return this.#engine.epochOf(shardOf(address, this.#map.count)) !== null;
  }

  now(): number {
    return this.#time.now();
  }

  async start(): Promise<void> {
    const { store, grpcAddress, name, host, pid } = this.#parts;
    await this.#levels.requireLoadable();
    this.#address = await this.#transport.listen(grpcAddress, this.#peers);
    await this.#parts.onBound?.(this.#address);
    const { birth } = await store.register({
      name,
      host,
      pid,
      incarnation: this.#incarnation,
      address: this.#address,
      operatorUrl: this.#parts.operatorUrl(),
    });
    this.#birth = birth;
    await this.#member.start();
    for (const task of this.#periodicTasks) task.start();
  }

  serve(): void {
    this.#serves = true;
    this.#beginActivities();
  }

  #beginActivities(): void {
    if (this.#serves && this.ready) this.#engine.activities.serve();
  }

  async drain(): Promise<void> {
    await this.#drain.drain();
  }

  async finishActivities(): Promise<void> {
    await this.#drain.finishActivities();
  }

  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  /** Stops the parts that a failed start has started. */
  async abandon(): Promise<void> {
    this.#end();
    await this.#transport.close();
  }

  async #leave(): Promise<void> {
    await this.drain();
    await this.finishActivities();
    if (!this.#ended) await this.#drain.finish();
    const dead = this.#ended;
    this.#handoff.stop();
    this.#ownership.stop();
    try {
      await this.#engine.close();
      this.#member.stop();
      if (!dead) await this.#recordLeave();
    } catch (error) {
      this.#parts.log({ level: 'warn', message: 'left without a record in the store', why: textOf(error) });
    }
    this.#end();
    await this.#transport.close();
  }

  /** Stays for a moment, to redirect peers that do not know yet that the shards moved. */
  async #recordLeave(): Promise<void> {
    await this.#parts.store.leave(this.#incarnation);
    await new Promise<void>((resolve) => this.#parts.clock.after(FAREWELL_MS, resolve));
  }

  #end(): void {
    this.#ended = true;
    for (const task of this.#periodicTasks) task.stop();
    this.#member.stop();
    this.#failureReports.stop();
    this.#drain.stop();
    this.#handoff.stop();
    this.#ownership.stop();
    this.#router.close();
    this.#peers.close();
  }

  #makeEngine(base: Pick<EngineOptions, 'kinds' | 'store' | 'clock' | 'limits' | 'now'>, deaths: Deaths): Engine {
    const { random, name, limits, activities = {} } = this.#parts;
    const router = (): Router => this.#router;
    const calls = (): Calls => this.#calls;
    return createEngine({
      ...base,
      shards: limits.shards,
      self: { incarnation: this.#incarnation, name },
      host: this.#engineHost(),
      clusterPort: openClusterPort({ random, activities, deaths, router, calls }),
    });
  }

  #engineHost(): EngineHost {
    return {
      lost: (shard, reason) => this.#ownership.lost(shard, reason),
      published: (value) => this.board.published(value),
      isGone: (incarnation) => this.#member.isGone(incarnation),
      log: this.#parts.log,
      committed: this.#parts.onCommitted,
      reported: this.#parts.onReported,
      watchers: this.changes,
      traced: this.#parts.traced,
    };
  }

  #makeMember(): Member {
    const { store, clock, limits, log } = this.#parts;
    return new Member({
      incarnation: this.#incarnation,
      store,
      clock,
      limits,
      log,
      time: this.#time,
      reaches: () => this.#peers.reaches(),
      linked: (incarnation) => this.#peers.linked(incarnation),
      changed: (view) => this.#viewChanged(view),
      gone: (incarnation) => this.#gone(incarnation),
      markedDead: (incarnation, why) => this.#peers.broadcast({ type: 'dead', incarnations: [incarnation], why }),
      isolated: () => this.#parts.onIsolated?.(),
      died: (why) => this.#died(why),
    });
  }

  #makePeers(): Peers {
    const { name, secret, configDigest, clock, random, limits, log } = this.#parts;
    const { charts } = this.#levels;
    const terms: Terms = { name, incarnation: this.#incarnation, shards: limits.shards, configDigest, charts, secret };
    return new Peers(
      { terms, transport: this.#transport, clock, random, limits, log },
      {
        asked: (from, batch) => this.#router.receive(from, batch),
        answered: (incarnation, batch) => this.#router.answered(incarnation, batch),
        signalled: (from, signal) => this.#signalled(from, signal),
        up: (incarnation, link) => {
          this.#levels.settle();
          this.#router.linkUp(incarnation, link);
          this.#introduce(incarnation);
        },
        down: (incarnation, unsent) => {
          this.#router.linkDown(incarnation, unsent);
          this.#calls.lost(incarnation);
          this.changes.linkDown();
        },
        greeted: (from) => {
          this.#levels.settle();
          this.changes.lost(from.incarnation);
          this.board.greeted(from);
        },
        parted: (incarnation) => this.changes.lost(incarnation),
        suspect: (incarnation) => this.#failureReports.raise(incarnation),
        resync: () => void this.#member.beat(),
        fenced: () => this.#member.fenced(),
        unfit: (incarnation, why) => this.#member.refuse(incarnation, why),
        isDead: (incarnation) => this.#member.isDead(incarnation),
        isWanted: (incarnation) => !this.#member.isGone(incarnation),
      },
    );
  }

  /** Sends a new peer the shard owners and the state of this node. */
  #introduce(incarnation: string): void {
    this.#peers.send(incarnation, { type: 'shards', owners: this.#map.known() });
    if (this.#readiness.ready) this.#peers.send(incarnation, { type: 'ready' });
    if (this.#drain.leaving) this.#peers.send(incarnation, { type: 'leaving' });
    this.changes.linkUp(incarnation);
  }

  #announce(rows: readonly ShardRow[]): void {
    const owners = rows.flatMap((row) => (row.owner === null ? [] : [[row.shard, row.owner, row.epoch] as const]));
    this.#peers.broadcast({ type: 'shards', owners });
    this.#readiness.check();
  }

  #becameReady(): void {
    this.#parts.log({ level: 'info', message: 'node ready' });
    this.#beginActivities();
    const refuse = (why: string): void => this.#died(why);
    void this.#levels.confirm(refuse, () => this.#peers.broadcast({ type: 'ready' }));
  }

  #ownerChanged(shard: number): void {
    this.changes.members.notify();
    this.#router.wake(shard);
    this.#ownership.reconcile();
  }

  #viewChanged({ nodes }: MembershipView): void {
    if (this.#ended) return;
    this.changes.members.notify();
    this.#peers.follow(nodes);
    this.#levels.settle();
    this.#ownership.reconcile();
    this.#readiness.check();
    void this.#handoff.balance();
  }

  #gone(incarnation: string): void {
    if (this.#ended) return;
    if (this.#member.isDead(incarnation)) this.#peers.forget(incarnation);
    else this.#peers.dismiss(incarnation);
    this.#readiness.forget(incarnation);
    this.#drain.forget(incarnation);
    this.board.gone(incarnation);
    this.#engine.nodeDead(incarnation);
  }

  #died(why: string): void {
    this.#parts.log({ level: 'error', message: 'this node is dead', why });
    this.#engine.activities.abortAll('its node is dead');
    this.#ownership.dropAll();
    this.#end();
    void this.#transport.close();
    this.#parts.onDead(why);
  }
}
