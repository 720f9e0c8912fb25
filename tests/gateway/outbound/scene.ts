import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as assert from 'uvu/assert';
import { type OutboundCall, outboundUrl } from '../../../gateway/outbound/outbound.ts';
import { OutboundError } from '../../../gateway/outbound/outbound-error.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Runs with a call to a server that answers so, below its `/v1`. */
export async function serving(
  answer: Answer,
  call: Pick<OutboundCall, 'body' | 'limits'> & { readonly path: string },
  run: (call: OutboundCall) => Promise<void>,
): Promise<void> {
  const { path, ...rest } = call;
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const url = outboundUrl(`http://127.0.0.1:${port}/v1/`, path);
    await run({ method: 'POST', url, headers: ['content-type', 'text/plain'], ...rest });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The failure with which a call ended; `none` if it succeeded. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.instance(error, OutboundError);
    return (error as OutboundError).failure;
  }
  return 'none';
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Client and server share this event loop: bytes that were sent arrive in one of its next turns. */
export async function arrived(): Promise<void> {
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
}
