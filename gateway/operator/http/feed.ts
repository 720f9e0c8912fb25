/**
 * `WS /api/feed`: committed steps of the actors that a client watches, of every node, and on request what changes in the
 * cluster itself. The client acknowledges what it has taken; a client that falls behind receives the newest messages and
 * how many it missed, and no actor ever waits for it.
 */
import { type Static, Type } from 'typebox';
import { Check } from 'typebox/value';
import type { Clock, Cluster, CommittedStep } from '../../../actors/runtime/index.ts';
import { CLOSE, type ClientSocket, type SocketUser } from '../../http/client-socket.ts';
import { ClusterNews, type News, type NewsSubject } from './cluster-news.ts';
import type { OperatorRoute } from './operator-route.ts';

/** Patterns of one client; each is a watcher of its node. */
const PATTERNS_MAX = 16;
const PATTERN_CHARACTERS_MAX = 256;
/** Messages that a client may leave unacknowledged before it gets no more. */
const UNACKNOWLEDGED_MAX = 256;
/** Messages that wait for a client; beyond them the oldest are dropped. */
const WAITING_MAX = 1_024;
/** Frames with steps follow each other no closer: a frame for each step was most of what a feed cost the requests beside it. */
const GATHER_MS = 50;
/** A feed ends after this time, and its client connects again: so no feed outlives its session for long. */
const LIFE_MS = 60 * 60 * 1_000;

const FRAME = Type.Object({
  watch: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: PATTERN_CHARACTERS_MAX }), { maxItems: PATTERNS_MAX }),
  ),
  about: Type.Optional(Type.Array(Type.Enum(['nodes', 'events']), { maxItems: 2 })),
  from: Type.Optional(Type.Integer()),
  ack: Type.Optional(Type.Integer({ minimum: 0 })),
});

export const feedRoute = (clock: Clock): OperatorRoute => ({
  method: 'GET',
  path: '/api/feed',
  policy: 'viewer',
  summary:
    'A WebSocket that tells steps of watched actors, nodes, shards, events and alarms; any other request gets 426.',
  answer: () => null,
  socket: ({ cluster }) => new OperatorFeed(cluster, clock),
});

type FeedSocket = Pick<ClientSocket, 'send' | 'close' | 'refused'>;

/** One client's feed. Until it names patterns nothing is watched. */
class OperatorFeed implements SocketUser {
  /** A drain may end it at any time: its client goes on at another node. */
  readonly isBusy = false;
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #cancelLife: () => void;
  #socket: FeedSocket | null = null;
  #cancelWrite: (() => void) | null = null;
  /** When steps were last written, monotonic ms. */
  #writtenAt = Number.NEGATIVE_INFINITY;
  #stops: readonly (() => void)[] = [];
  #news: ClusterNews | null = null;
  #waiting: (CommittedStep | News)[] = [];
  /** Messages that were dropped since the client was last told. */
  #dropped = 0;
  #cursor = 0;
  #acknowledged = 0;
  #last: CommittedStep | null = null;

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#cancelLife = clock.after(LIFE_MS, () => this.#socket?.close(CLOSE.restart, 'connect again'));
  }

  bind(socket: FeedSocket): void {
    this.#socket = socket;
  }

  onFrame(bytes: Buffer): void {
    const frame = parsed(bytes);
    if (frame === null) {
      if (this.#socket?.refused())
        this.#tell({ type: 'error', message: 'a frame is { watch?, about?, from? } or { ack }' });
      return;
    }
    if (frame.ack !== undefined) this.#acknowledged = Math.max(this.#acknowledged, Math.min(frame.ack, this.#cursor));
    // Every node learns of other patterns: a client that changes them without end is closed like one that sends garbage.
    const isAsking = frame.watch !== undefined || frame.about !== undefined;
    if (isAsking && this.#socket?.refused() === false) return;
    if (frame.watch !== undefined) this.#watch([...new Set(frame.watch)]);
    if (frame.about !== undefined) this.#follow(frame.about);
    // Nothing is kept for a client that is away: it reads again what it shows.
    if (frame.from !== undefined) this.#tell({ type: 'gap', dropped: null });
    this.#write();
  }

  onClose(): void {
    this.#cancelLife();
    this.#cancelWrite?.();
    this.#unwatch();
    this.#news?.stop();
    this.#waiting = [];
    this.#socket = null;
  }

  /** In place of what was watched before. */
  #watch(patterns: readonly string[]): void {
    this.#unwatch();
    const stops: (() => void)[] = [];
    this.#stops = stops;
    try {
      for (const pattern of patterns) stops.push(this.#cluster.operator.watch(pattern, (step) => this.#see(step)));
    } catch {
      this.#socket?.close(CLOSE.busy, 'too many watchers at this node');
    }
  }

  /** In place of what was followed before. */
  #follow(subjects: readonly NewsSubject[]): void {
    this.#news?.stop();
    this.#news = new ClusterNews(this.#cluster, subjects, (message) => this.#queue(message));
    try {
      this.#news.start();
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
    this.#queue(step);
  }

  #queue(told: CommittedStep | News): void {
    this.#waiting.push(told);
    if (this.#waiting.length > WAITING_MAX) {
      this.#waiting.shift();
      this.#dropped++;
    }
    if (this.#waiting.length >= UNACKNOWLEDGED_MAX) this.#write();
    else this.#writeSoon();
  }

  /** At once after a rest, so that a single step is not late. */
  #writeSoon(): void {
    const dueMs = this.#writtenAt + GATHER_MS - this.#clock.monotonic();
    if (dueMs <= 0) this.#write();
    else this.#cancelWrite ??= this.#clock.after(dueMs, () => this.#write());
  }

  #write(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = null;
    if (this.#waiting.length === 0 || this.#cursor - this.#acknowledged >= UNACKNOWLEDGED_MAX) return;
    this.#writtenAt = this.#clock.monotonic();
    const messages: Message[] = [];
    if (this.#dropped > 0) {
      messages.push({ cursor: ++this.#cursor, type: 'gap', dropped: this.#dropped });
      this.#dropped = 0;
    }
    const room = UNACKNOWLEDGED_MAX - (this.#cursor - this.#acknowledged);
    for (const told of this.#waiting.splice(0, room)) {
      messages.push('type' in told ? { cursor: ++this.#cursor, ...told } : messageOf(++this.#cursor, told));
    }
    this.#socket?.send(JSON.stringify(messages));
  }

  #tell(message: { readonly type: 'gap' | 'error'; readonly [member: string]: unknown }): void {
    this.#socket?.send(JSON.stringify([{ cursor: ++this.#cursor, ...message }]));
  }
}

/** A frame is a list of messages. */
interface Message {
  readonly cursor: number;
  readonly type: 'step' | 'gap' | 'error' | News['type'];
  readonly [member: string]: unknown;
}

/** A literal that begins with a spread takes ten times as long. */
function messageOf(cursor: number, step: CommittedStep): Message {
  const { address, version, at, event, from, to, epoch, node } = step;
  return { cursor, type: 'step', address, version, at, event, from, to, epoch, node };
}

function parsed(bytes: Buffer): Static<typeof FRAME> | null {
  try {
    const frame: unknown = JSON.parse(bytes.toString('utf8'));
    return Check(FRAME, frame) ? frame : null;
  } catch {
    return null;
  }
}
