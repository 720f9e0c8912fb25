import { connect } from 'node:net';

/**
 * Sends `head` and `bytes` of spaces without reading, then reads. Resolves with the answer, or with the code of the error
 * that ended the connection before it.
 */
export function sendThenRead(port: number, head: string, bytes: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
    });
    socket.pause();
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(answer));
    socket.write(head);
    socket.write(Buffer.alloc(bytes, ' '), () => socket.resume());
  });
}
