/**
 * One life of one node process: started, pinged, offered connections, and finally ended. The next life of the same name
 * is another object. Reports to its listener; decides only whether the node's silence is a reason to kill it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Clock } from '../../../actors/runtime/index.ts';
import type { LauncherLimits } from '../../terms/config/config.ts';
import { openLog } from './log-files.ts';
import { EXIT_UNCAUGHT, type NodeAddresses, type ToLauncher, type ToNode } from './message.ts';
import { processState } from './process-state.ts';
import type { HandoffNode } from './socket-handoff.ts';
import { isSilentLoop, QUIET, startingVitals, tickVitals, type Vitals, verdictOn } from './watchdog.ts';

/**
 * Flags of a node: Node's own code on large pages (Linux; ignored elsewhere), rare collections of the young generation by
 * the main thread alone, and rare collections of the whole heap. Measured numbers: DECISIONS.md, "nodes run with large
 * pages" and "the heap of a node may triple".
 */
export const NODE_FLAGS: readonly string[] = [
  '--use-largepages=silent',
  '--no-parallel-scavenge',
  '--max-semi-space-size=64',
  '--heap-growing-percent=200',
];

export interface NodeStart {
  readonly name: string;
  /** The module to run, and its arguments. */
  readonly entry: string;
  readonly args: readonly string[];
  /** The node's output is appended to this file. */
  readonly logFile: string;
  /** Variables in addition to those of the launcher. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a life ended. */
export interface NodeEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why the launcher killed the process; null if it did not. */
  readonly killedFor: string | null;
  /** Killed for a silent event loop although the kernel showed the process as running. */
  readonly silentLoop: boolean;
  /** The node's own reason why it cannot start. */
  readonly fault: string | null;
  readonly livedMs: number;
  readonly wasUp: boolean;
}

export interface NodeListener {
  up(node: NodeProcess): void;
  ack(node: NodeProcess, id: number): void;
  taken(node: NodeProcess, id: number): void;
  decline(node: NodeProcess, id: number): void;
  /** The node drains, and this is what it waits for. */
  waits(node: NodeProcess, what: string): void;
  /** The process has ended and its channel was read to the end. */
  end(node: NodeProcess, end: NodeEnd): void;
}

const CHANNEL_END_POLL_MS = 5;
const CHANNEL_END_MS_MAX = 1_000;

export class NodeProcess implements HandoffNode {
  readonly name: string;
  readonly pid: number | null;
  private readonly child: ChildProcess;
  private readonly listener: NodeListener;
  private readonly clock: Clock;
  private readonly limits: LauncherLimits;
  private readonly bornAt: number;
  private addresses: NodeAddresses | null = null;
  private accepting = false;
  private pingId = 0;
  private pongId = 0;
  private busyMs = 0;
  private vitals: Vitals = QUIET;
  private killedFor: string | null = null;
  private silentLoop = false;
  private fault: string | null = null;

  constructor(start: NodeStart, listener: NodeListener, clock: Clock, limits: LauncherLimits) {
    this.name = start.name;
    this.listener = listener;
    this.clock = clock;
    this.limits = limits;
    this.bornAt = clock.monotonic();
    const log = openLog(start.logFile);
    this.child = fork(start.entry, start.args, {
      execArgv: [...process.execArgv, ...NODE_FLAGS],
      stdio: ['ignore', log, log, 'ipc'],
      env: { ...process.env, ...start.env },
    });
    if (log !== 'ignore') closeSync(log);
    this.pid = this.child.pid ?? null;
    this.listen();
  }

  /** The node's addresses; null until it serves. */
  get at(): NodeAddresses | null {
    return this.addresses;
  }

  /** True if the node may be offered connections now. */
  get open(): boolean {
    return this.accepting && this.vitals.silentMs < this.limits.silentMs;
  }

  get storeBusyMs(): number {
    return this.busyMs;
  }

  send(message: ToNode): void {
    // An error means that the channel is closed; the exit of the process follows and carries the reason.
    if (this.child.connected) this.child.send(message, ignore);
  }

  offer(id: number, socket: Socket): void {
    const { _handle: handle } = socket as unknown as { readonly _handle: Parameters<ChildProcess['send']>[1] | null };
    if (!this.child.connected || !handle) return;
    // Send the bare handle: with a socket, Node would start reading in the node before `go`, and would close our copy.
    this.child.send({ type: 'offer', id } satisfies ToNode, handle, {}, ignore);
  }

  /** One tick of the watchdog: counts silence, kills the process if it must, else pings. */
  tick(elapsedMs: number, storeBusyMs: number): void {
    const unanswered = this.pingId !== this.pongId;
    const seen = unanswered && this.pid !== null ? processState(this.pid) : null;
    this.vitals = tickVitals(this.vitals, {
      elapsedMs,
      pingEveryMs: this.limits.pingEveryMs,
      unanswered,
      stopped: seen?.stopped ?? false,
      storeBusyMs,
    });
    if (!unanswered) {
      this.pingId++;
      this.send({ type: 'ping', id: this.pingId });
      return;
    }
    const judged = this.addresses ? this.vitals : startingVitals(this.vitals);
    const verdict = verdictOn(judged, this.limits);
    if (!verdict) return;
    this.silentLoop ||= seen !== null && isSilentLoop(judged, this.limits);
    this.kill(verdict);
  }

  kill(reason: string): void {
    this.killedFor ??= reason;
    this.child.kill('SIGKILL');
  }

  private listen(): void {
    this.child.on('message', (message) => this.receive(message as ToLauncher));
    this.child.on('exit', (code, signal) => this.exited({ code, signal }));
    this.child.on('error', (error) => {
      this.fault ??= error.message;
      // The process never started, so no exit follows.
      if (this.child.pid === undefined) this.exited({ code: null, signal: null });
    });
  }

  /**
   * Reports the end once the channel was read to its end: it may still hold messages of the dead process. Node omits
   * `disconnect` if a handle was never acknowledged, so `connected` is polled instead.
   */
  private exited(exit: { readonly code: number | null; readonly signal: string | null }, waitedMs = 0): void {
    this.accepting = false;
    if (this.child.connected && waitedMs < CHANNEL_END_MS_MAX) {
      this.clock.after(CHANNEL_END_POLL_MS, () => this.exited(exit, waitedMs + CHANNEL_END_POLL_MS));
      return;
    }
    const livedMs = Math.round(this.clock.monotonic() - this.bornAt);
    const { killedFor, silentLoop, fault } = this;
    // Messages read together with the end are delivered first, in this turn of the loop.
    this.clock.after(0, () =>
      this.listener.end(this, { ...exit, killedFor, silentLoop, fault, livedMs, wasUp: this.addresses !== null }),
    );
  }

  private receive(message: ToLauncher): void {
    switch (message.type) {
      case 'ack':
      case 'taken':
      case 'decline':
        this.listener[message.type](this, message.id);
        break;
      case 'pong':
        this.pongId = message.id;
        this.busyMs = message.storeBusyMs;
        // Return to the rotation at once, without waiting for the next tick.
        this.vitals = QUIET;
        break;
      case 'up':
        this.addresses = { incarnation: message.incarnation, grpc: message.grpc, operatorUrl: message.operatorUrl };
        this.accepting = true;
        this.listener.up(this);
        break;
      case 'accepting':
        this.accepting = message.open;
        break;
      case 'waits':
        this.listener.waits(this, message.what);
        break;
      case 'fault':
        this.fault = message.message;
        break;
    }
  }
}

function ignore(): void {}

/** Signals of a process's own crash: an abort (also for a full heap), or a fault of its code. */
const OWN_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP']);

/**
 * Tells crashed nodes from killed ones: only a crash may count against the activities that were running. In doubt the
 * node counts as killed. Pure.
 */
export function causeOfDeath(end: NodeEnd): 'crashed' | 'killed' {
  if (end.killedFor !== null) return end.silentLoop ? 'crashed' : 'killed';
  if (end.signal !== null) return OWN_SIGNALS.has(end.signal) ? 'crashed' : 'killed';
  return end.code === EXIT_UNCAUGHT ? 'crashed' : 'killed';
}
