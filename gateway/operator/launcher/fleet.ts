/**
 * The nodes of one launcher. Each configured name runs as a process, is watched, and is restarted with a back-off when
 * it ends, until the launcher stops. Accepted connections go to the nodes in turn. Every start, end, kill and restart
 * is written to the journal with its reason.
 */
import type { Socket } from 'node:net';
import type { Cancel, Clock, NodeRestarts } from '../../../actors/runtime/index.ts';
import type { LauncherLimits } from '../../terms/config/config.ts';
import type { Journal } from './journal.ts';
import { EXIT_NOT_JOINED, EXIT_REJOIN, EXIT_UNCAUGHT, type NodeAddresses, type NodeDeath } from './message.ts';
import { causeOfDeath, type NodeEnd, type NodeListener, NodeProcess, type NodeStart } from './node-process.ts';
import { type HandoffNode, SocketHandoff } from './socket-handoff.ts';
import { restartAfter } from './watchdog.ts';

/** Deaths reported to a node at its start: it may be the only node left. */
const DEATHS_REMEMBERED_MAX = 16;
/** A node that waits in its drain reports it every second. One that has been silent for this long is killed. */
const WAITS_FRESH_MS = 10_000;

interface FleetOptions {
  readonly starts: readonly NodeStart[];
  readonly limits: LauncherLimits;
  /** Longest time that a connection may wait for a node before it is refused, ms. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly refuse: (socket: Socket) => void;
  /** A node came up or went down. */
  readonly changed: () => void;
  /** A node drains: what it waits for, about every second. */
  readonly waits: (name: string, what: string) => void;
  /** A process failed before it served; `tries` counts such ends in a row. */
  readonly faulted: (name: string, reason: string, tries: number) => void;
  /** A node that served, or that asks to rejoin, has ended and starts again. */
  readonly restarts: (name: string, reason: string, delayMs: number) => void;
}

/** A serving node. */
interface NodeStatus extends NodeAddresses {
  readonly name: string;
  readonly pid: number;
}

interface Slot {
  readonly start: NodeStart;
  life: NodeProcess | null;
  /** Number of lives in a row that ended early. */
  failures: number;
  restart: Cancel | null;
}

export class Fleet {
  private readonly options: FleetOptions;
  private readonly slots: readonly Slot[];
  private readonly handoff: SocketHandoff;
  private readonly listener: NodeListener;
  private readonly deaths: NodeDeath[] = [];
  private readonly restarts: Restarts;
  private turn = 0;
  private stopping = false;
  private tickCancel: Cancel | null = null;
  private tickedAt = 0;
  private emptied: (() => void) | null = null;
  /** Monotonic ms of the last report of a node that waits in its drain. */
  private waitedAt = Number.NEGATIVE_INFINITY;

  constructor(options: FleetOptions) {
    this.options = options;
    this.slots = options.starts.map((start) => ({ start, life: null, failures: 0, restart: null }));
    this.restarts = new Restarts(options.starts.map(({ name }) => name));
    this.handoff = new SocketHandoff({
      clock: options.clock,
      ackMs: options.limits.handoffAckMs,
      max: options.limits.handoffsMax,
      waitMs: options.waitMs,
      next: (busy) => this.next(busy),
      refuse: options.refuse,
    });
    this.listener = {
      up: (node) => this.cameUp(node),
      ack: (node, id) => this.handoff.ack(node, id),
      taken: (node, id) => this.handoff.taken(node, id),
      decline: (node, id) => this.handoff.decline(node, id),
      waits: (node, what) => this.waited(node, what),
      end: (node, end) => this.ended(node, end),
    };
  }

  start(): void {
    for (const slot of this.slots) this.launch(slot);
    this.tickedAt = this.options.clock.monotonic();
    this.tick();
  }

  /** The serving nodes, in the order of the configuration. */
  running(): readonly NodeStatus[] {
    return this.slots.flatMap(({ life }) =>
      life?.at && life.pid !== null ? [{ name: life.name, pid: life.pid, ...life.at }] : [],
    );
  }

  accept(socket: Socket): void {
    this.handoff.accept(socket);
  }

  /** Connections without a node yet. */
  get pending(): number {
    return this.handoff.size;
  }

  /**
   * Asks every node to drain and resolves when all have ended; kills the remaining ones after `withinMs`, or later, once
   * none of them reports any more that it waits: the others serve its shards meanwhile.
   */
  async stop(withinMs: number): Promise<void> {
    this.stopping = true;
    this.handoff.close();
    for (const slot of this.slots) {
      slot.restart?.();
      slot.restart = null;
      slot.life?.send({ type: 'drain' });
    }
    const { clock } = this.options;
    const from = clock.monotonic();
    const look = (): Cancel => {
      const quietMs = clock.monotonic() - Math.max(this.waitedAt, from + withinMs - WAITS_FRESH_MS);
      if (quietMs < WAITS_FRESH_MS) return clock.after(WAITS_FRESH_MS - quietMs, again);
      this.killAll(`still running ${Math.round(clock.monotonic() - from)} ms after the drain began`);
      return () => {};
    };
    const again = (): void => {
      late = look();
    };
    let late = clock.after(withinMs, again);
    if (this.alive() > 0) await new Promise<void>((resolve) => (this.emptied = resolve));
    late();
    this.tickCancel?.();
  }

  private waited(node: NodeProcess, what: string): void {
    this.waitedAt = this.options.clock.monotonic();
    this.options.waits(node.name, what);
  }

  killAll(reason: string): void {
    for (const slot of this.slots) slot.life?.kill(reason);
  }

  private alive(): number {
    return this.slots.filter((slot) => slot.life).length;
  }

  private launch(slot: Slot): void {
    const { clock, limits, journal } = this.options;
    slot.restart = null;
    const life = new NodeProcess(slot.start, this.listener, clock, limits);
    slot.life = life;
    for (const death of this.deaths) life.send({ type: 'death', ...death });
    for (const restarts of this.restarts.all()) life.send({ type: 'restarts', ...restarts });
    journal({ event: 'node.start', node: life.name, pid: life.pid });
  }

  private cameUp(node: NodeProcess): void {
    this.options.journal({
      event: 'node.up',
      node: node.name,
      pid: node.pid,
      incarnation: node.at?.incarnation ?? null,
      grpc: node.at?.grpc ?? null,
    });
    this.options.changed();
    this.handoff.pump();
  }

  private ended(node: NodeProcess, end: NodeEnd): void {
    const slot = this.slots.find(({ life }) => life === node);
    if (!slot) return;
    slot.life = null;
    this.handoff.gone(node);
    const cause = causeOfDeath(end);
    if (node.at) this.reportDeath({ incarnation: node.at.incarnation, cause });
    const next = restartAfter(end, slot.failures, this.options.limits);
    slot.failures = next.failures;
    const delayMs = this.stopping ? null : next.delayMs;
    this.options.journal({
      event: 'node.end',
      node: node.name,
      pid: node.pid,
      code: end.code,
      signal: end.signal,
      reason: reasonOf(end),
      cause,
      livedMs: end.livedMs,
      restartInMs: delayMs,
    });
    if (end.wasUp) this.options.changed();
    else if (!this.stopping && isFailure(end)) this.options.faulted(node.name, reasonOf(end), slot.failures);
    if (delayMs !== null && !this.stopping) {
      this.noteRestart(end, node.name, delayMs);
      slot.restart = this.options.clock.after(delayMs, () => this.launch(slot));
    }
    if (this.stopping && this.alive() === 0) this.emptied?.();
  }

  /** Every node knows the restarts of all, since the one that dies again and again can show nothing itself. */
  private noteRestart(end: NodeEnd, name: string, delayMs: number): void {
    const reason = reasonOf(end);
    const isPlanned = end.code === 0 && end.wasUp;
    const noted = this.restarts.note(name, { at: this.options.clock.now(), reason, isPlanned });
    for (const { life } of this.slots) life?.send({ type: 'restarts', ...noted });
    if (!isFailure(end)) this.options.restarts(name, reason, delayMs);
  }

  /** The remaining nodes decide about the activities that ran on the dead one. */
  private reportDeath(death: NodeDeath): void {
    this.deaths.push(death);
    if (this.deaths.length > DEATHS_REMEMBERED_MAX) this.deaths.shift();
    for (const { life } of this.slots) life?.send({ type: 'death', ...death });
  }

  private tick(): void {
    const { clock, limits } = this.options;
    const now = clock.monotonic();
    const elapsedMs = now - this.tickedAt;
    this.tickedAt = now;
    const storeBusyMs = Math.max(0, ...this.slots.map(({ life }) => (life?.open ? life.storeBusyMs : 0)));
    for (const { life } of this.slots) life?.tick(elapsedMs, storeBusyMs);
    this.handoff.expire();
    this.handoff.pump();
    this.tickCancel = clock.after(limits.pingEveryMs, () => this.tick());
  }

  /** Round robin over the open nodes, skipping those with an unanswered offer. */
  private next(busy: (node: HandoffNode) => boolean): NodeProcess | null {
    for (let step = 0; step < this.slots.length; step++) {
      const at = (this.turn + step) % this.slots.length;
      const life = this.slots[at]?.life;
      if (!life?.open || busy(life)) continue;
      this.turn = at + 1;
      return life;
    }
    return null;
  }
}

/** It did not come up, by its own fault or for want of what it needs. */
function isFailure({ wasUp, code }: NodeEnd): boolean {
  return !wasUp && code !== EXIT_REJOIN;
}

function reasonOf(end: NodeEnd): string {
  if (end.killedFor) return `killed by the launcher: ${end.killedFor}`;
  if (end.fault) return end.fault;
  if (end.signal) return `ended by ${end.signal}`;
  if (end.code === EXIT_REJOIN) return 'asked to rejoin with a new incarnation';
  if (end.code === EXIT_NOT_JOINED) return 'did not join the others';
  if (end.code === 0) return 'drained and left';
  if (end.code === EXIT_UNCAUGHT) return 'an uncaught error';
  return `exited with code ${end.code}`;
}

/** Times kept of a node. */
const TIMES_MAX = 100;

interface RestartAfter {
  /** Wall-clock ms of the end. */
  readonly at: number;
  readonly reason: string;
  /** A drain: it was asked for, so that it is no death. */
  readonly isPlanned: boolean;
}

/** How often each node of a launcher was started again after a death, and how it last ended. */
export class Restarts {
  private readonly byName: Map<string, NodeRestarts>;

  constructor(names: readonly string[]) {
    this.byName = new Map(names.map((name) => [name, { name, total: 0, times: [], lastEnd: null }]));
  }

  note(name: string, { at, reason, isPlanned }: RestartAfter): NodeRestarts {
    const { total, times } = this.byName.get(name) ?? { total: 0, times: [] };
    const counted = isPlanned ? { total, times } : { total: total + 1, times: [...times, at].slice(-TIMES_MAX) };
    const noted = { name, ...counted, lastEnd: { reason, at } };
    this.byName.set(name, noted);
    return noted;
  }

  all(): readonly NodeRestarts[] {
    return [...this.byName.values()];
  }
}
