import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { ECHO } from './echo-service.ts';

/**
 * The baseline of the remote ask: a bare gRPC stream that echoes every line of its input, each frame's lines in
 * one frame. `bare-echo` prints `{"port":N}`; ends with its parent.
 */
const server = new Server();
server.addService(ECHO, {
  echo: (call: ServerDuplexStream<Buffer, Buffer>) => {
    call.on('data', (frame: Buffer) => {
      const lines = frame.toString('latin1').split('\n');
      call.write(Buffer.from(lines.join('\n'), 'latin1'));
    });
    call.on('end', () => call.end());
  },
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
