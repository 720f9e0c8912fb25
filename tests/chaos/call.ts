import { Agent, fetch, type RequestInit } from 'undici';
import { paced } from '../support/pace.ts';

/** The outcome of one plain request; status null: it is unknown. */
export interface Called {
  readonly status: number | null;
  readonly bytes: Buffer;
}

const CALL_MS = 30_000;
/** A new connection for each request, so that the launcher distributes them over the nodes. */
const FRESH = new Agent({ pipelining: 0 });

/** Sends one request to `base` + `path` and reads its whole answer. Never throws. */
export async function call(base: string, key: string, path: string, init: RequestInit = {}): Promise<Called> {
  const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
  const signal = AbortSignal.timeout(paced(CALL_MS));
  try {
    const response = await fetch(`${base}${path}`, { ...init, headers, signal, dispatcher: FRESH });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
  } catch {
    return { status: null, bytes: Buffer.alloc(0) };
  }
}

/** The same with a JSON body. */
export function post(base: string, key: string, path: string, body: object): Promise<Called> {
  const headers = { 'content-type': 'application/json' };
  return call(base, key, path, { method: 'POST', headers, body: JSON.stringify(body) });
}

export function jsonOf<T>({ bytes }: Called): T | null {
  try {
    return JSON.parse(bytes.toString()) as T;
  } catch {
    return null;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
