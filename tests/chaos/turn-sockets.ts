import { WebSocket } from 'ws';
import type { Scenario } from './scenario.ts';

/** What came of one turn, as far as its frames arrived. */
interface SocketTurn {
  /** The frames as they were sent, each the data of an event. */
  readonly frames: readonly string[];
  /** How it ended: by its last event, by a refusal in its place, by the client that left, or with its socket. */
  readonly end: 'answered' | 'refused' | 'left' | 'lost';
  /** Of a refusal. */
  readonly status: number;
  /** Close code, or why the socket did not open. */
  readonly reason: string;
}

/** A socket serves this many turns, one after the other. */
const TURNS_MAX = 5;
const ENDS = /^\{"type":"response\.(?:completed|incomplete|failed)"/;
const REFUSAL = /^\{"type":"error","status":(\d{3})/;

/** The WebSockets of a run, several for each key: a turn takes a free one, or opens one. */
export class TurnSockets {
  readonly #free = new Map<string, OpenSocket[]>();
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  /** Runs one turn. Never rejects. `withinMs`: then the client leaves. */
  async turn(key: string, { body, leaveAfter }: Scenario, withinMs: number): Promise<SocketTurn> {
    const free = this.#free.get(key) ?? [];
    this.#free.set(key, free);
    const taken = free.pop();
    const socket = taken?.isOpen ? taken : new OpenSocket(`${this.#base.replace('http', 'ws')}/responses`, key);
    const late = setTimeout(() => socket.leave(`no answer in ${withinMs} ms`), withinMs);
    const turn = await socket.turn(JSON.stringify({ type: 'response.create', ...body }), leaveAfter);
    clearTimeout(late);
    if (socket.isOpen && socket.turns < TURNS_MAX) free.push(socket);
    else socket.leave('enough turns');
    return turn;
  }

  close(): void {
    for (const sockets of this.#free.values()) for (const socket of sockets) socket.leave('the run is over');
    this.#free.clear();
  }
}

/** One WebSocket, with one turn at a time. */
class OpenSocket {
  turns = 0;
  readonly #socket: WebSocket;
  #frames: string[] = [];
  #leaveAfter: number | null = null;
  #end: (turn: SocketTurn) => void = () => {};

  constructor(url: string, key: string) {
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
    this.#socket = socket;
    socket.on('message', (bytes) => this.#receive(String(bytes)));
    socket.on('unexpected-response', (_, response) => {
      this.#over('refused', { status: response.statusCode ?? 0 });
      socket.terminate();
    });
    socket.on('error', ({ message }) => this.#over('lost', { reason: message }));
    socket.on('close', (code) => this.#over('lost', { reason: `closed with ${code}` }));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  turn(frame: string, leaveAfter: number | null): Promise<SocketTurn> {
    this.turns++;
    this.#frames = [];
    this.#leaveAfter = leaveAfter;
    return new Promise((resolve) => {
      this.#end = resolve;
      if (this.isOpen) this.#socket.send(frame);
      else this.#socket.on('open', () => this.#socket.send(frame));
    });
  }

  leave(reason: string): void {
    this.#over('left', { reason });
    this.#socket.terminate();
  }

  #receive(frame: string): void {
    this.#frames.push(frame);
    const refusal = this.#frames.length === 1 ? REFUSAL.exec(frame) : null;
    if (refusal !== null) this.#over('refused', { status: Number(refusal[1]) });
    else if (ENDS.test(frame)) this.#over('answered', {});
    else if (this.#frames.length === this.#leaveAfter) this.leave('the client left');
  }

  #over(end: SocketTurn['end'], { status = 0, reason = '' }: { status?: number; reason?: string }): void {
    this.#end({ frames: this.#frames, end, status, reason });
  }
}
