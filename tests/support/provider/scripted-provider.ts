import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider that answers every call with the test's current script. */
export interface ScriptedProvider {
  /** For `ProviderDeclaration.baseUrl`. */
  readonly baseUrl: string;
  /** The answer to the next calls. */
  answer: (call: {
    readonly stream: boolean;
    readonly body: Readonly<Record<string, unknown>>;
    readonly response: ServerResponse;
  }) => void;
  close(): Promise<void>;
}

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.once('end', () => {
      const text = Buffer.concat(pieces).toString();
      // A probe of the catalogue has no body.
      const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
      provider.answer({ stream: body.stream === true, body, response });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: ScriptedProvider = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answer: ({ response }) => void response.writeHead(500).end(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}
