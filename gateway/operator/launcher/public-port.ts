/**
 * The public port. Accepts connections without reading them and passes each to `accept`. A connection that no node can
 * serve is answered with 503 here.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock, Random } from '../../../actors/runtime/index.ts';
import { generationId } from '../../../actors/terms/ids.ts';
import { earlyRefusal } from '../../edge/early-refusal.ts';
import { rawAnswer } from '../../http/client-error.ts';
import { type LingerLimits, linger } from '../../http/linger.ts';
import { unavailable } from '../../terms/gateway-error.ts';
import { ConfigError, lineOf } from '../config/config-error.ts';

export interface PublicPort {
  /** The port in use; differs from the requested one only if that was 0. */
  readonly port: number;
  /** Stops listening; accepted connections are not affected. */
  close(): void;
}

/** Where a person sets host and port, for the remedy in a message. */
const LAUNCHER = { host: 'listen.host in the config', port: '--port N' };

/** Throws ConfigError if the port or the address is not available. */
export function openPublicPort(
  listen: { readonly host: string; readonly port: number },
  accept: (socket: Socket) => void,
  remedy = LAUNCHER,
): Promise<PublicPort> {
  // Half-open, because a client that has sent its request may close its side and still read.
  const server = createServer(
    { pauseOnConnect: true, noDelay: true, keepAlive: true, allowHalfOpen: true },
    (socket) => {
      // Nothing is read or written here, but an 'error' event without a listener would end the launcher.
      socket.on('error', ignore);
      accept(socket);
    },
  );
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new ConfigError(explain(error, listen, remedy))));
    server.listen({ host: listen.host, port: listen.port, backlog: BACKLOG }, () => resolve(opened(server)));
  });
}

const BACKLOG = 4_096;

function opened(server: Server): PublicPort {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the public port has no address');
  // Later errors concern single accepts (no file descriptor left): the connection is lost, the port stays open.
  server.removeAllListeners('error').on('error', ignore);
  return { port: address.port, close: () => void server.close() };
}

function explain(
  error: NodeJS.ErrnoException,
  listen: { readonly host: string; readonly port: number },
  remedy: typeof LAUNCHER,
): string {
  const where = `port ${listen.port} on ${listen.host}`;
  if (error.code === 'EADDRINUSE')
    return `${where} is in use; choose another with ${remedy.port}, or stop what uses it`;
  if (error.code === 'EACCES')
    return `${where} needs rights you do not have; choose one above 1023 with ${remedy.port}`;
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'EINVAL' || error.syscall === 'getaddrinfo') {
    return `${where} cannot be opened: this machine has no such address; correct ${remedy.host}`;
  }
  return `${where} cannot be opened (${lineOf(error)}); choose another with ${remedy.port}`;
}

const NOT_TAKEN = unavailable('no node took the connection');

interface RefuseOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: LingerLimits;
}

/** Answers 503 under a generation id of its own, and closes once the client has stopped sending. */
export function refuseConnection(socket: Socket, { clock, random, limits }: RefuseOptions): void {
  linger(socket, rawAnswer(earlyRefusal(NOT_TAKEN, generationId(random, clock.now()))), clock, limits);
}

/** The same for at most `max` connections at once, since each is kept until its client ends; further ones are cut. */
export function boundedRefusals(max: number, options: RefuseOptions): (socket: Socket) => void {
  let open = 0;
  return (socket) => {
    if (open >= max) {
      socket.destroy();
      return;
    }
    open++;
    socket.once('close', () => {
      open--;
    });
    refuseConnection(socket, options);
  };
}

function ignore(): void {}
