/**
 * The node's end of the public port: takes connections the launcher hands over and answers its pings. A connection is
 * never read before the launcher said `go`, so whatever happens to this process until then, another node can still
 * answer it from the first byte. Without a launcher this file is not used.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';
import type { NodeAddresses, NodeDeath, ToLauncher, ToNode } from './message.ts';

/** The part of `process` this needs: its channel to the parent. */
export interface ParentChannel {
  send?(message: ToLauncher, handle?: undefined, options?: undefined, sent?: (error: Error | null) => void): boolean;
  on(event: 'message', listen: (message: unknown, handle: unknown) => void): unknown;
  on(event: 'disconnect', listen: () => void): unknown;
}

export interface NodeReceiverOptions {
  readonly channel: ParentChannel;
  /** Starts serving the connection: `server.emit('connection', socket)`. The intake resumes it right after. */
  readonly accept: (socket: Socket) => void;
  /** For how long the store has refused this node's writes as busy, ms; 0 when it does not. */
  readonly storeBusyMs: () => number;
  /** The launcher asks for a drain. May be called more than once. */
  readonly drain: () => void;
  /** Another node of this launcher, or the last life of this one, has ended. */
  readonly died: (death: NodeDeath) => void;
  /** The launcher is gone: nobody will hand over another connection. */
  readonly orphaned: () => void;
}

export interface NodeReceiver {
  /** Says that this node serves, and opens the intake. */
  up(at: NodeAddresses): void;
  /** No further connections: what is offered from now on is declined unread. */
  close(): void;
  /** Tells the launcher why this node cannot start; resolves when it was said. */
  fault(message: string): Promise<void>;
}

/** Listens to the launcher from now on; offers are declined until `up`. */
export function openNodeReceiver(options: NodeReceiverOptions): NodeReceiver {
  const { channel } = options;
  const held = new Map<number, Socket>();
  let open = false;
  const say = (message: ToLauncher, sent: (error: Error | null) => void = ignore): void => {
    channel.send?.(message, undefined, undefined, sent);
  };

  const offered = (id: number, handle: unknown): void => {
    // A client that reset meanwhile may leave nothing to hand over.
    const socket = handle === undefined || handle === null ? null : unreadSocket(handle);
    if (!socket || !open) {
      socket?.destroy();
      say({ type: 'decline', id });
      return;
    }
    held.set(id, socket);
    say({ type: 'ack', id });
  };
  const release = (id: number): Socket | undefined => {
    const socket = held.get(id);
    held.delete(id);
    return socket;
  };
  const granted = (id: number): void => {
    const socket = release(id);
    if (!socket) return;
    // Read only once `taken` is on its way: a launcher that never hears it may give the connection to another node.
    say({ type: 'taken', id }, (error) => {
      if (error) return void socket.destroy();
      options.accept(socket);
      socket.resume();
    });
  };

  channel.on('message', (message: unknown, handle: unknown) => {
    const said = message as ToNode;
    if (said.type === 'ping') say({ type: 'pong', id: said.id, storeBusyMs: options.storeBusyMs() });
    else if (said.type === 'offer') offered(said.id, handle);
    else if (said.type === 'go') granted(said.id);
    else if (said.type === 'no') release(said.id)?.destroy();
    else if (said.type === 'drain') options.drain();
    else if (said.type === 'death') options.died({ incarnation: said.incarnation, cause: said.cause });
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
      say({ type: 'up', ...at });
    },
    close() {
      if (!open) return;
      open = false;
      say({ type: 'intake', open: false });
    },
    fault: (message) =>
      new Promise((resolve) => (channel.send ? say({ type: 'fault', message }, () => resolve()) : resolve())),
  };
}

/**
 * The connection of a bare handle, not reading. A `net.Socket` sent as such would be rebuilt by Node reading at once,
 * and without half-open; bytes read before `go` would be lost to the next node.
 */
function unreadSocket(handle: unknown): Socket {
  const options = { handle, readable: true, writable: true, allowHalfOpen: true, pauseOnCreate: true };
  return new Socket(options as SocketConstructorOpts);
}

function ignore(): void {}
