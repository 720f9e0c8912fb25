/**
 * The node's side of the socket hand-off: receives connections from the launcher and answers its pings. A connection is
 * never read before the launcher's `go`, so that another node can still answer it from the first byte if this process
 * fails before. Not used without a launcher.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';
import type { NodeRestarts } from '../../../actors/runtime/index.ts';
import type { NodeAddresses, NodeDeath, ToLauncher, ToNode } from './message.ts';

/** The part of `process` used here: its channel to the parent. */
interface ParentChannel {
  send?(message: ToLauncher, handle?: undefined, options?: undefined, sent?: (error: Error | null) => void): boolean;
  on(event: 'message', listen: (message: unknown, handle: unknown) => void): unknown;
  on(event: 'disconnect', listen: () => void): unknown;
}

interface NodeReceiverOptions {
  readonly channel: ParentChannel;
  /** Starts serving the connection: `server.emit('connection', socket)`. The receiver resumes the socket afterwards. */
  readonly accept: (socket: Socket) => void;
  /** Time for which the store has refused this node's writes as busy, ms; 0 if it does not. */
  readonly storeBusyMs: () => number;
  /** Called when the launcher asks for a drain, possibly more than once. */
  readonly drain: () => void;
  /** Called when another node of this launcher, or the previous life of this one, has ended. */
  readonly died: (death: NodeDeath) => void;
  /** Called with how often a node of this launcher was started again. */
  readonly restarted: (restarts: NodeRestarts) => void;
  /** Called when the launcher has ended: no further connections arrive. */
  readonly orphaned: () => void;
}

export interface NodeReceiver {
  /** Reports that this node serves, and accepts connections from now on. */
  up(at: NodeAddresses): void;
  /** Accepts no further connections: later offers are declined unread. */
  close(): void;
  /** Reports what the drain of this node waits for. */
  waits(what: string): void;
  /** Reports to the launcher why this node cannot start; resolves when the message was sent. */
  fault(message: string): Promise<void>;
}

/** Listens to the launcher from now on; declines offers until `up`. */
export function openNodeReceiver(options: NodeReceiverOptions): NodeReceiver {
  const { channel } = options;
  const held = new Map<number, Socket>();
  let open = false;
  const send = (message: ToLauncher, sent: (error: Error | null) => void = ignore): void => {
    channel.send?.(message, undefined, undefined, sent);
  };

  const offered = (id: number, handle: unknown): void => {
    // A client that has reset its connection may leave no handle.
    const socket = handle === undefined || handle === null ? null : unreadSocket(handle);
    if (!socket || !open) {
      socket?.destroy();
      send({ type: 'decline', id });
      return;
    }
    held.set(id, socket);
    send({ type: 'ack', id });
  };
  const release = (id: number): Socket | undefined => {
    const socket = held.get(id);
    held.delete(id);
    return socket;
  };
  const granted = (id: number): void => {
    const socket = release(id);
    if (!socket) return;
    // Read only once `taken` was sent: a launcher that never receives it may give the connection to another node.
    send({ type: 'taken', id }, (error) => {
      if (error) return void socket.destroy();
      options.accept(socket);
      socket.resume();
    });
  };

  channel.on('message', (message: unknown, handle: unknown) => {
    const received = message as ToNode;
    if (received.type === 'ping') send({ type: 'pong', id: received.id, storeBusyMs: options.storeBusyMs() });
    else if (received.type === 'offer') offered(received.id, handle);
    else if (received.type === 'go') granted(received.id);
    else if (received.type === 'no') release(received.id)?.destroy();
    else if (received.type === 'drain') options.drain();
    else if (received.type === 'death') options.died({ incarnation: received.incarnation, cause: received.cause });
    else if (received.type === 'restarts') {
      const { type: _, ...restarts } = received;
      options.restarted(restarts);
    }
  });
  channel.on('disconnect', () => {
    open = false;
    for (const socket of held.values()) socket.destroy();
    held.clear();
    options.orphaned();
  });

  return {
    up(at) {
      open = true;
      send({ type: 'up', ...at });
    },
    close() {
      if (!open) return;
      open = false;
      send({ type: 'accepting', open: false });
    },
    waits: (what) => send({ type: 'waits', what }),
    fault: (message) =>
      new Promise((resolve) => (channel.send ? send({ type: 'fault', message }, () => resolve()) : resolve())),
  };
}

/**
 * Creates a paused socket from a bare handle. Node would rebuild a transferred `net.Socket` without half-open and
 * reading at once, and bytes read before `go` would be lost to the next node.
 */
function unreadSocket(handle: unknown): Socket {
  const options = { handle, readable: true, writable: true, allowHalfOpen: true, pauseOnCreate: true };
  return new Socket(options as SocketConstructorOpts);
}

function ignore(): void {}
