/**
 * The nodes of one launcher: each declared name runs as a process, is watched, and is started again when it ends, with
 * a back-off, until the launcher stops. Hands every accepted connection to them in turn. Every start, end, kill and
 * restart is written to the journal with its reason.
 */
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { LauncherLimits } from '../../terms/config.ts';
import { causeOfDeath } from './cause-of-death.ts';
import type { Journal } from './journal.ts';
import { EXIT_REJOIN, EXIT_UNCAUGHT, type NodeAddresses, type NodeDeath } from './message.ts';
import { type NodeEnd, type NodeListener, NodeProcess, type NodeStart } from './node-process.ts';
import { type HandoffNode, SocketHandoff } from './socket-handoff.ts';
import { restartDelay } from './watchdog.ts';

/** Deaths that a node is told when it starts: it may have been alone. */
const DEATHS_REMEMBERED_MAX = 16;

export interface FleetOptions {
  readonly starts: readonly NodeStart[];
  readonly limits: LauncherLimits;
  /** How long a connection may wait for a node before it is refused, ms. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly refuse: (socket: Socket) => void;
  /** Some node came up or went down. */
  readonly changed: () => void;
  /** A life ended before it served, for this reason; so many in a row did. */
  readonly faulted: (name: string, reason: string, tries: number) => void;
}

/** A node that serves. */
export interface NodeStatus extends NodeAddresses {
  readonly name: string;
  readonly pid: number;
}

interface Slot {
  readonly start: NodeStart;
  life: NodeProcess | null;
  /** Lives in a row that ended young. */
  failures: number;
  restart: Cancel | null;
}

export class Fleet {
  private readonly options: FleetOptions;
  private readonly slots: readonly Slot[];
  private readonly handOffs: SocketHandoff;
  private readonly listener: NodeListener;
  private readonly deaths: NodeDeath[] = [];
  private turn = 0;
  private stopping = false;
  private tickCancel: Cancel | null = null;
  private tickedAt = 0;
  private emptied: (() => void) | null = null;

  constructor(options: FleetOptions) {
    this.options = options;
    this.slots = options.starts.map((start) => ({ start, life: null, failures: 0, restart: null }));
    this.handOffs = new SocketHandoff({
      clock: options.clock,
      ackMs: options.limits.handoffAckMs,
      max: options.limits.handoffsMax,
      waitMs: options.waitMs,
      next: (busy) => this.next(busy),
      refuse: options.refuse,
    });
    this.listener = {
      up: (node) => this.cameUp(node),
      ack: (node, id) => this.handOffs.ack(node, id),
      taken: (node, id) => this.handOffs.taken(node, id),
      decline: (node, id) => this.handOffs.decline(node, id),
      end: (node, end) => this.ended(node, end),
    };
  }

  start(): void {
    for (const slot of this.slots) this.launch(slot);
    this.tickedAt = this.options.clock.monotonic();
    this.tick();
  }

  /** The nodes that serve now, in the order of the configuration. */
  running(): readonly NodeStatus[] {
    return this.slots.flatMap(({ life }) =>
      life?.at && life.pid !== null ? [{ name: life.name, pid: life.pid, ...life.at }] : [],
    );
  }

  accept(socket: Socket): void {
    this.handOffs.accept(socket);
  }

  /** Connections that no node has taken yet. */
  get pending(): number {
    return this.handOffs.size;
  }

  /** Asks every node to drain and resolves when all have ended; those still there after `withinMs` are killed. */
  async stop(withinMs: number): Promise<void> {
    this.stopping = true;
    this.handOffs.close();
    for (const slot of this.slots) {
      slot.restart?.();
      slot.restart = null;
      slot.life?.say({ type: 'drain' });
    }
    const late = this.options.clock.after(withinMs, () => this.killAll(`still there ${withinMs} ms after the drain`));
    if (this.alive() > 0) await new Promise<void>((resolve) => (this.emptied = resolve));
    late();
    this.tickCancel?.();
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
    for (const death of this.deaths) life.say({ type: 'death', ...death });
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
    this.handOffs.pump();
  }

  private ended(node: NodeProcess, end: NodeEnd): void {
    const slot = this.slots.find(({ life }) => life === node);
    if (!slot) return;
    slot.life = null;
    this.handOffs.gone(node);
    const cause = causeOfDeath(end);
    if (node.at) this.tellDeath({ incarnation: node.at.incarnation, cause });
    const delayMs = this.stopping ? null : this.delayAfter(slot, end);
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
    else if (!this.stopping) this.options.faulted(node.name, reasonOf(end), slot.failures);
    if (delayMs !== null && !this.stopping) slot.restart = this.options.clock.after(delayMs, () => this.launch(slot));
    if (this.stopping && this.alive() === 0) this.emptied?.();
  }

  /** Those who live on decide what becomes of the work that was running there. */
  private tellDeath(death: NodeDeath): void {
    this.deaths.push(death);
    if (this.deaths.length > DEATHS_REMEMBERED_MAX) this.deaths.shift();
    for (const { life } of this.slots) life?.say({ type: 'death', ...death });
  }

  /** A life that served for longer than the longest delay clears the record; a wish to rejoin and a drain wait for nothing. */
  private delayAfter(slot: Slot, end: NodeEnd): number {
    const { limits } = this.options;
    if (end.wasUp && end.livedMs > limits.restartDelayMaxMs) slot.failures = 0;
    if (end.code === EXIT_REJOIN && end.wasUp) return 0;
    if (end.code === 0 && end.wasUp) return limits.restartDelayMs;
    slot.failures++;
    return restartDelay(slot.failures, limits);
  }

  private tick(): void {
    const { clock, limits } = this.options;
    const now = clock.monotonic();
    const elapsedMs = now - this.tickedAt;
    this.tickedAt = now;
    const storeBusyMs = Math.max(0, ...this.slots.map(({ life }) => (life?.open ? life.storeBusyMs : 0)));
    for (const { life } of this.slots) life?.tick(elapsedMs, storeBusyMs);
    this.handOffs.expire();
    this.handOffs.pump();
    this.tickCancel = clock.after(limits.pingEveryMs, () => this.tick());
  }

  /** Round robin over the nodes that are open, leaving out those with an offer unanswered. */
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

function reasonOf(end: NodeEnd): string {
  if (end.killedFor) return `killed by the launcher: ${end.killedFor}`;
  if (end.fault) return end.fault;
  if (end.signal) return `ended by ${end.signal}`;
  if (end.code === EXIT_REJOIN) return 'asked to rejoin with a new incarnation';
  if (end.code === 0) return 'drained and left';
  if (end.code === EXIT_UNCAUGHT) return 'an error that nobody caught';
  return `exited with code ${end.code}`;
}
