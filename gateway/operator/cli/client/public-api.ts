import { systemClock } from '../../../../actors/runtime/index.ts';
import { NO_NODE } from '../../../outbound/lease.ts';
import { type OutboundCall, type OutboundReply, outboundUrl } from '../../../outbound/outbound.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import { readConnection } from '../../launcher/connection.ts';
import type { GlobalOptions } from '../frame/command.ts';
import { configOf } from '../frame/find-cluster.ts';

/** Options of the commands that call the public API as a client does. */
export interface ClientOptions extends GlobalOptions {
  readonly key?: string | undefined;
  readonly url?: string | undefined;
}

/** Results of a batch have 32 MiB, and twice that where they are a member of a JSON object; clips are larger. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024 * 1024;
const LIMITS = { connectMs: 5_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 600_000 } as const;
/** As long as a used-up window of requests lasts; a node that dies is replaced sooner. */
const TRIES_MAX = 65;
const RETRY_MS = 1_000;

interface ApiCall {
  readonly method: 'GET' | 'POST';
  /** Below the base address. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: readonly string[];
}

/** The public API of one cluster for one key. */
export interface PublicApi {
  /** The answer's JSON. Repeats what a repeat can solve. @throws ConfigError with the API's own message. */
  json<T>(call: ApiCall): Promise<T>;
  /** The answer's bytes as they arrive, and how many were announced; null for none. */
  bytes(call: ApiCall): Promise<{ readonly length: number | null; readonly pieces: AsyncIterable<Uint8Array> }>;
}

/** Runs a command against the API that the options name. @throws ConfigError */
export async function withPublicApi<T>(options: ClientOptions, run: (api: PublicApi) => Promise<T>): Promise<T> {
  const { url, key } = await addressOf(options);
  const { Pools } = await import('../../../outbound/pools.ts');
  const outbound = new Pools({
    lease: NO_NODE,
    clock: systemClock,
    connectionsPerOriginMax: 2,
    connectMs: LIMITS.connectMs,
  });
  const send = ({ method, path, body, headers = [] }: ApiCall): Promise<OutboundReply> => {
    const json = body === undefined ? [] : ['content-type', 'application/json'];
    const call: OutboundCall = {
      method,
      url: outboundUrl(url, path),
      body: body ?? null,
      headers: ['authorization', `Bearer ${key}`, 'accept', '*/*', ...json, ...headers],
      limits: { ...LIMITS, bodyBytesMax: ANSWER_BYTES_MAX },
    };
    return outbound.send(call);
  };
  try {
    return await run({
      json: async (call) => JSON.parse(await repeated(() => textOf(send(call)))) as never,
      bytes: (call) => repeated(() => bytesOf(send(call))),
    });
  } finally {
    await outbound.close();
  }
}

async function addressOf(options: ClientOptions): Promise<{ readonly url: string; readonly key: string }> {
  const { url, key } = options;
  if (url !== undefined && key !== undefined) return { url, key };
  const { data } = await configOf(options);
  const connection = await readConnection(data);
  const found = { url: url ?? connection?.base_url, key: key ?? connection?.api_key };
  if (found.url == null) {
    throw new ConfigError(`no cluster runs on ${data}; name its folder with --data DIR, or its address with --url URL`);
  }
  if (found.key == null) throw new ConfigError(`${data} has no demo key; give a key with --key KEY`);
  return { url: found.url, key: found.key };
}

/** A failure that a repeat can solve: no answer, or 429 and 5xx. */
class Transient extends Error {}

async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      if (tries === TRIES_MAX) throw new ConfigError(lineOf(error));
      await pause(RETRY_MS);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.after(ms, resolve));
}

async function textOf(sending: Promise<OutboundReply>): Promise<string> {
  const { status, body } = await sending;
  const text = await body.text();
  if (status < 300) return text;
  throw failureOf(status, text);
}

function failureOf(status: number, text: string): Error {
  const { message, metadata } = refusalIn(text);
  const line = `the API answered ${status}: ${message}`;
  // A full queue of batches does not empty within seconds; a used-up window of requests does.
  const isQueueFull = metadata?.active !== undefined;
  return status > 500 || (status === 429 && !isQueueFull) ? new Transient(line) : new ConfigError(line);
}

interface Refusal {
  readonly message: string;
  readonly metadata?: { readonly active?: number };
}

function refusalIn(text: string): Refusal {
  try {
    return (JSON.parse(text) as { readonly error: Refusal }).error;
  } catch {
    return { message: text.slice(0, 200) };
  }
}

async function bytesOf(sending: Promise<OutboundReply>): ReturnType<PublicApi['bytes']> {
  const reply = await sending;
  if (reply.status >= 300) throw failureOf(reply.status, await reply.body.text());
  const length = reply.header('content-length');
  return { length: length === null ? null : Number(length), pieces: piecesOf(reply) };
}

async function* piecesOf({ body }: OutboundReply): AsyncIterable<Uint8Array> {
  for (let read = await body.read(); read !== null; read = await body.read()) {
    body.progressed();
    yield* read;
  }
}
