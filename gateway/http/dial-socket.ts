import { WebSocket } from 'ws';
import { type ClusterTls, dialled } from '../outbound/mutual-tls.ts';

const HANDSHAKE_MS = 3_000;
const MESSAGE_BYTES_MAX = 1024 * 1024;

interface DialOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: the server proves itself by the authorities of the system. */
  readonly tls?: ClusterTls | undefined;
}

/** How a socket ended: stopped here, closed by the server, not connected or cut, or refused with an HTTP status. */
type SocketEnd = 'stopped' | 'closed' | 'lost' | 'refused';

/** A WebSocket to a server of ours. */
export function dialSocket(url: string, { headers, tls }: DialOptions) {
  const socket = new WebSocket(url, {
    headers,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    ...(tls && dialled(tls)),
  });
  return {
    send: (text: string): void => socket.send(text),
    /** Resolves with its end. */
    run: (stop: AbortSignal, opened: () => void, heard: (text: string) => void): Promise<SocketEnd> =>
      new Promise((resolve) => {
        stop.addEventListener('abort', () => {
          resolve('stopped');
          socket.terminate();
        });
        socket.on('open', opened);
        socket.on('message', (data) => heard(String(data)));
        socket.on('unexpected-response', () => resolve('refused'));
        socket.on('error', () => resolve('lost'));
        socket.on('close', () => resolve('closed'));
      }),
  };
}
