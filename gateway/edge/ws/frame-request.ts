import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

/** Headers of the opening request that hold for every request inside the socket. */
const KEPT = ['x-session-id', 'x-title', 'x-vendor-title', 'http-referer'] as const;

/**
 * One frame of a WebSocket as a request: the edge reads, counts and refuses it as it does a body over HTTP. It has what
 * the edge uses of a request and no more.
 */
export class FrameRequest extends Readable {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;

  constructor(opening: IncomingMessage, bytes: Buffer) {
    super();
    this.url = opening.url ?? '/';
    this.socket = opening.socket;
    const kept = KEPT.flatMap((name) => (opening.headers[name] === undefined ? [] : [[name, opening.headers[name]]]));
    this.headers = { ...Object.fromEntries(kept), 'content-length': String(bytes.length) };
    this.push(bytes);
    this.push(null);
  }

  override _read(): void {}
}
