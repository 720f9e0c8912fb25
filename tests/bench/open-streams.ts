import { connect, type Socket } from 'node:net';

export interface StreamTarget {
  readonly port: number;
  readonly path: string;
  /** Header lines of its own, such as the credential. */
  readonly lines: readonly string[];
}

const AT_ONCE = 50;
const FIRST_FRAME_MS = 20_000;

/** Opens a number of streams, each on its own connection, and resolves when each has received its first frame. */
export async function openStreams(target: StreamTarget, count: number, directive: object): Promise<readonly Socket[]> {
  const request = requestOf(target, directive);
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - at) }, () => openStream(target.port, request));
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

/** How a stream begins: its status, and a part of its first frame. */
const EVENTS = { status: 200, frame: '\ndata: ' };

/** One stream; rejects if it was refused or closed before its first frame. */
export function openStream(port: number, request: string, { status, frame } = EVENTS): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(request));
    let seen = '';
    socket.setEncoding('latin1');
    const late = setTimeout(() => socket.destroy(), FIRST_FRAME_MS);
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(late);
      reject(new Error(`closed after ${seen.slice(0, 200)}`));
    });
    socket.on('data', (text: string) => {
      // Parses only until the first frame; later bytes are dropped.
      if (seen.includes(frame)) return;
      seen += text;
      if (!seen.startsWith(`HTTP/1.1 ${status}`)) return reject(new Error(seen.slice(0, 300)));
      if (!seen.includes(frame)) return;
      clearTimeout(late);
      resolve(socket);
    });
  });
}

export function requestOf({ port, path, lines }: StreamTarget, directive: object): string {
  const content = `Tell me something. @sim ${JSON.stringify(directive)}`;
  const body = JSON.stringify({
    model: 'sim/fast',
    stream: true,
    max_tokens: 4_096,
    messages: [{ role: 'user', content }],
  });
  const head = [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Content-Type: application/json', ...lines];
  return `${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
