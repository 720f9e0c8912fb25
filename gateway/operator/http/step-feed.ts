/**
 * `WS /api/feed`: committed steps of the actors that a client watches, of every node. The client acknowledges what it has
 * taken; a client that falls behind receives the newest steps and how many it missed, and no actor ever waits for it.
 */
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock, Cluster, CommittedStep } from '../../../actors/runtime/index.ts';
import { CLOSE, type ClientSocket, type SocketUser } from '../../http/client-socket.ts';
import type { OperatorRoute } from './operator-route.ts';

/** Patterns of one client; each is a watcher of its node. */
const PATTERNS_MAX = 16;
const PATTERN_CHARACTERS_MAX = 256;
/** Messages that a client may leave unacknowledged before it gets no more. */
const UNACKNOWLEDGED_MAX = 256;
/** Steps that wait for a client; beyond them the oldest are dropped. */
const WAITING_MAX = 1_024;
/** A feed ends after this time, and its client connects again: so no feed outlives its session for long. */
const LIFE_MS = 60 * 60 * 1_000;

const FRAME = Type.Object({
  watch: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: PATTERN_CHARACTERS_MAX }), { maxItems: PATTERNS_MAX }),
  ),
  from: Type.Optional(Type.Integer()),
  ack: Type.Optional(Type.Integer({ minimum: 0 })),
});

export const feedRoute = (clock: Clock): OperatorRoute => ({
  method: 'GET',
  path: '/api/feed',
  policy: 'viewer',
  summary: 'A WebSocket that tells committed steps of the watched actors; the answer to any other request is 426.',
  answer: () => null,
  socket: ({ cluster }) => new StepFeed(cluster.operator, clock),
});

/** One client's feed. Until it names patterns nothing is watched. */
class StepFeed implements SocketUser {
  /** A drain may end it at any time: its client goes on at another node. */
  readonly isBusy = false;
  readonly #operator: Pick<Cluster['operator'], 'watch'>;
  readonly #cancelLife: () => void;
  #socket: Pick<ClientSocket, 'send' | 'close' | 'refused'> | null = null;
  #stops: readonly (() => void)[] = [];
  #waiting: CommittedStep[] = [];
  /** Steps that were dropped since the client was last told. */
  #dropped = 0;
  #cursor = 0;
  #acknowledged = 0;
  #last: CommittedStep | null = null;

  constructor(operator: Pick<Cluster['operator'], 'watch'>, clock: Clock) {
    this.#operator = operator;
    this.#cancelLife = clock.after(LIFE_MS, () => this.#socket?.close(CLOSE.restart, 'connect again'));
  }

  bind(socket: Pick<ClientSocket, 'send' | 'close' | 'refused'>): void {
    this.#socket = socket;
  }

  onFrame(bytes: Buffer): void {
    const frame = parsed(bytes);
    if (frame === null) {
      if (this.#socket?.refused()) this.#tell({ type: 'error', message: 'a frame is { watch, from? } or { ack }' });
      return;
    }
    if (frame.ack !== undefined) this.#acknowledged = Math.max(this.#acknowledged, Math.min(frame.ack, this.#cursor));
    // Every node learns of other patterns: a client that changes them without end is closed like one that sends garbage.
    if (frame.watch !== undefined && this.#socket?.refused() === false) return;
    if (frame.watch !== undefined) this.#watch([...new Set(frame.watch)]);
    // Nothing is kept for a client that is away: it reads again what it shows.
    if (frame.from !== undefined) this.#tell({ type: 'gap', dropped: null });
    this.#write();
  }

  onClose(): void {
    this.#cancelLife();
    this.#unwatch();
    this.#waiting = [];
    this.#socket = null;
  }

  /** In place of what was watched before. */
  #watch(patterns: readonly string[]): void {
    this.#unwatch();
    const stops: (() => void)[] = [];
    this.#stops = stops;
    try {
      for (const pattern of patterns) stops.push(this.#operator.watch(pattern, (step) => this.#see(step)));
    } catch {
      this.#socket?.close(CLOSE.busy, 'too many watchers at this node');
    }
  }

  #unwatch(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
  }

  #see(step: CommittedStep): void {
    // A step that two patterns match arrives twice in a row, as one object or as a copy from another node.
    const last = this.#last;
    if (last !== null && last.version === step.version && last.address === step.address) return;
    this.#last = step;
    this.#waiting.push(step);
    if (this.#waiting.length > WAITING_MAX) {
      this.#waiting.shift();
      this.#dropped++;
    }
    this.#write();
  }

  #write(): void {
    while (this.#cursor - this.#acknowledged < UNACKNOWLEDGED_MAX) {
      if (this.#dropped > 0) {
        this.#tell({ type: 'gap', dropped: this.#dropped });
        this.#dropped = 0;
        continue;
      }
      const step = this.#waiting.shift();
      if (step === undefined) return;
      this.#tell({ type: 'step', ...step });
    }
  }

  #tell(message: object): void {
    this.#socket?.send(JSON.stringify({ cursor: ++this.#cursor, ...message }));
  }
}

function parsed(bytes: Buffer): Static<typeof FRAME> | null {
  try {
    const frame: unknown = JSON.parse(bytes.toString('utf8'));
    return Check(FRAME, frame) ? frame : null;
  } catch {
    return null;
  }
}
