import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../../actors/runtime/index.ts';
import type { EdgeLimits } from '../terms/config/config.ts';

/** Bounds of a client that still sends after its answer: those of an upload. */
export type LingerLimits = Pick<EdgeLimits, 'bodyBytesPerSecondMin' | 'bodyGraceMs' | 'requestTimeoutMs'>;

/** Bytes dropped after an answer: a client that reads only after it has sent everything may send this much. */
const DROPPED_BYTES_MAX = 64 * 1024 * 1024;
const CHECK_MS = 250;

/**
 * Sends the last bytes of a connection, ends our side, and drops what the client still sends until it ends its side.
 * Closing at once would reset the connection: the kernel answers unread bytes with a reset, which discards the answer
 * before the client has read it.
 */
export function linger(socket: Socket, lastBytes: string, clock: Clock, limits: LingerLimits): void {
  socket.on('close', boundLinger(socket, clock, limits));
  // Where no parser reads the socket, nothing else would drop the bytes.
  socket.resume();
  socket.end(lastBytes);
}

/**
 * Closes the connection of a client that, after its answer, sends too slowly, too much or for too long. The returned
 * function ends the watch.
 */
export function boundLinger(socket: Socket, clock: Clock, limits: LingerLimits): Cancel {
  const bytesBefore = socket.bytesRead;
  const startedAt = clock.monotonic();
  const windowBytesMin = (limits.bodyBytesPerSecondMin * limits.bodyGraceMs) / 1_000;
  let window = { at: startedAt, bytes: bytesBefore };
  const check = (): void => {
    const now = clock.monotonic();
    const bytes = socket.bytesRead;
    const isLong = now - startedAt >= limits.requestTimeoutMs || bytes - bytesBefore > DROPPED_BYTES_MAX;
    const isWindowOver = now - window.at >= limits.bodyGraceMs;
    if (isLong || (isWindowOver && bytes - window.bytes < windowBytesMin)) {
      socket.destroy();
      return;
    }
    if (isWindowOver) window = { at: now, bytes };
    stop = clock.after(CHECK_MS, check);
  };
  let stop = clock.after(CHECK_MS, check);
  return () => stop();
}
