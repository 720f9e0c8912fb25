import { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { GatewayError } from '../terms/gateway-error.ts';
import type { HttpExchange, SocketSession, Upgrade } from './exchange.ts';

const VERSION = '13';
/** A frame may arrive in as many pieces as a body over HTTP: at the smallest usual size of a packet. */
const PIECE_BYTES_MIN = 512;
const PIECES_MIN = 256;
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/**
 * Completes the handshake of an authenticated request, and calls `open` with the WebSocket. No frame is larger than
 * `frameBytesMax`, and none is compressed. The offer's origin does not matter: no credential travels by itself. Throws 426 for a request that offers none, and 400 for a malformed offer.
 * (rule I99)
 */
export function acceptUpgrade<Context>(
  { request, upgrade }: Pick<HttpExchange<Context>, 'request' | 'upgrade'>,
  frameBytesMax: number,
  open: (socket: WebSocket, upgrade: Upgrade<Context>) => SocketSession,
): void {
  if (upgrade === null) throw refused(426, 'This route is a WebSocket: the request must offer an upgrade to it');
  const { headers } = request;
  if (headers['sec-websocket-version'] !== VERSION) throw refused(426, 'Sec-WebSocket-Version must be 13');
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) throw refused(400, 'Sec-WebSocket-Key must be 16 bytes in base64');
  // Offers of protocols and extensions are not taken up, so nothing in them can fail the handshake.
  delete headers['sec-websocket-protocol'];
  delete headers['sec-websocket-extensions'];
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // Frames that arrive together are received in turns of the event loop of their own: 60 sockets with 200 frames each
    // stalled it for 2 s (measured).
    allowSynchronousEvents: false,
    maxPayload: frameBytesMax,
    maxBufferedChunks: Math.max(PIECES_MIN, Math.ceil(frameBytesMax / PIECE_BYTES_MIN)),
  });
  server.handleUpgrade(request, upgrade.socket, upgrade.head, (socket) => upgrade.adopt(open(socket, upgrade)));
}

function refused(status: 400 | 426, message: string): GatewayError {
  const headers: Record<string, string> =
    status === 426 ? { upgrade: 'websocket', 'sec-websocket-version': VERSION } : {};
  return new GatewayError({ status, type: 'invalid_request', message, headers });
}

/**
 * The class of a server's requests. Node hands a connection over as soon as a request offers any upgrade and a listener
 * for upgrades exists, and then parses no body; clients of HTTP/2 make that offer with every request. Here a request
 * counts as an upgrade only where it offers a WebSocket and `mayUpgrade` takes it, so all others are served as before.
 */
export function upgradableRequest(mayUpgrade: (request: IncomingMessage) => boolean): typeof IncomingMessage {
  return class UpgradableRequest extends IncomingMessage {
    /** Declared only: the constructor of the base class writes `upgrade` before any field of this one exists. */
    declare private offers: boolean;

    /** Node sets it before the headers are known, and reads it afterwards. */
    set upgrade(offers: boolean) {
      this.offers = offers;
    }

    get upgrade(): boolean {
      if (!this.offers) return false;
      return this.method === 'CONNECT' || (offersWebSocket(this) && mayUpgrade(this));
    }
  };
}

function offersWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}
