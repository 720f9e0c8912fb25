/**
 * One life of one node process: started, pinged, offered connections, at its end gone for good. The next life of the
 * same name is another object. Tells what it hears; decides nothing but whether its own silence is a reason to kill it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Clock } from '../../../actors/runtime/index.ts';
import type { LauncherLimits } from '../../terms/config.ts';
import { openLog } from './log-files.ts';
import type { NodeAddresses, ToLauncher, ToNode } from './message.ts';
import { processState } from './process-state.ts';
import type { HandoffNode } from './socket-handoff.ts';
import { isSilentLoop, QUIET, tickVitals, type Vitals, verdictOn } from './watchdog.ts';

/**
 * Node's own code on large pages where the system has them (Linux; elsewhere it is ignored): a request touches much code
 * once. Measured at 64 in flight: 611 us of the main thread's CPU per request without, 560 us with. The young garbage is
 * collected by the main thread alone (the threads that would help it are waited for while all cores are busy), and
 * seldom: what survives is what requests under way hold, however long one waits. Its room grows to 64 MiB where much
 * survives: 7 % more requests/s with 64 in flight and 8 % with 400 than with 32, 128 bring no more. It begins small, so
 * that threads whose garbage is short-lived, as the store's writer, stay small: 276 MiB a node under load, 338 with a
 * floor of 32 for each.
 */
export const NODE_FLAGS: readonly string[] = [
  '--use-largepages=silent',
  '--no-parallel-scavenge',
  '--max-semi-space-size=64',
];

export interface NodeStart {
  readonly name: string;
  /** Module to run, and its arguments. */
  readonly entry: string;
  readonly args: readonly string[];
  /** What the node prints is appended here. */
  readonly logFile: string;
}

/** How a life ended. */
export interface NodeEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why the launcher killed it; null when it did not. */
  readonly killedFor: string | null;
  /** It was killed because its loop had gone silent although the kernel showed it running. */
  readonly silentLoop: boolean;
  /** What the node itself gave as the reason it cannot start. */
  readonly fault: string | null;
  readonly livedMs: number;
  readonly wasUp: boolean;
}

export interface NodeListener {
  up(node: NodeProcess): void;
  ack(node: NodeProcess, id: number): void;
  taken(node: NodeProcess, id: number): void;
  decline(node: NodeProcess, id: number): void;
  /** The process is over and its channel read to the end. */
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
  private intakeOpen = false;
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
    });
    if (log !== 'ignore') closeSync(log);
    this.pid = this.child.pid ?? null;
    this.listen();
  }

  /** Where it is reached; null until it serves. */
  get at(): NodeAddresses | null {
    return this.addresses;
  }

  /** May be offered connections now. */
  get open(): boolean {
    return this.intakeOpen && this.vitals.silentMs < this.limits.silentMs;
  }

  get storeBusyMs(): number {
    return this.busyMs;
  }

  say(message: ToNode): void {
    // An error means the channel is closed: the end of the process follows and says all there is to say.
    if (this.child.connected) this.child.send(message, ignore);
  }

  offer(id: number, socket: Socket): void {
    const { _handle: handle } = socket as unknown as { readonly _handle: Parameters<ChildProcess['send']>[1] | null };
    if (!this.child.connected || !handle) return;
    // The bare handle, not the socket: Node would start reading a socket in the node before `go`, and close ours.
    this.child.send({ type: 'offer', id } satisfies ToNode, handle, {}, ignore);
  }

  /** One turn of the watch: counts silence, kills if it must, pings. */
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
      this.say({ type: 'ping', id: this.pingId });
      return;
    }
    // A node loading its code is deaf for a while; it serves nobody yet, so only a stop counts.
    const judged = this.addresses ? this.vitals : { ...this.vitals, silentMs: 0 };
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
    this.child.on('message', (message) => this.hear(message as ToLauncher));
    this.child.on('exit', (code, signal) => this.exited({ code, signal }));
    this.child.on('error', (error) => {
      this.fault ??= error.message;
      // Never started: there will be no exit.
      if (this.child.pid === undefined) this.exited({ code: null, signal: null });
    });
  }

  /**
   * The end is told once the channel was read to its own end: it may still hold words of a process that is gone. Node
   * leaves out `disconnect` when a handle was never acknowledged, so `connected` is asked instead.
   */
  private exited(exit: { readonly code: number | null; readonly signal: string | null }, waitedMs = 0): void {
    this.intakeOpen = false;
    if (this.child.connected && waitedMs < CHANNEL_END_MS_MAX) {
      this.clock.after(CHANNEL_END_POLL_MS, () => this.exited(exit, waitedMs + CHANNEL_END_POLL_MS));
      return;
    }
    const livedMs = Math.round(this.clock.monotonic() - this.bornAt);
    const { killedFor, silentLoop, fault } = this;
    // Words read together with the end are told in the turn after it.
    this.clock.after(0, () =>
      this.listener.end(this, { ...exit, killedFor, silentLoop, fault, livedMs, wasUp: this.addresses !== null }),
    );
  }

  private hear(message: ToLauncher): void {
    switch (message.type) {
      case 'ack':
      case 'taken':
      case 'decline':
        this.listener[message.type](this, message.id);
        break;
      case 'pong':
        this.pongId = message.id;
        this.busyMs = message.storeBusyMs;
        // Back in the rotation at once, not at the next tick.
        this.vitals = QUIET;
        break;
      case 'up':
        this.addresses = { incarnation: message.incarnation, grpc: message.grpc, operatorUrl: message.operatorUrl };
        this.intakeOpen = true;
        this.listener.up(this);
        break;
      case 'intake':
        this.intakeOpen = message.open;
        break;
      case 'fault':
        this.fault = message.message;
        break;
    }
  }
}

function ignore(): void {}
