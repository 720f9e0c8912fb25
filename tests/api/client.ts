import * as assert from 'uvu/assert';
import type { Funded, TestCluster } from '../support/cluster/start-cluster.ts';

/** What a request has in addition to its path. */
export interface Asked {
  /** By default POST with a body, GET without one. */
  readonly method?: string;
  /** Text and an object are sent as JSON, anything else as it is. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the client's own key; null: without a credential. */
  readonly key?: string | null;
  /** The node that is asked, modulo their number. */
  readonly node?: number;
  readonly signal?: AbortSignal;
}

/** The error member of the API's envelope. */
export interface Failure {
  readonly code: number;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly error_type: string };
}

/** An answer whose body has been read. */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Null if the body is not JSON. */
  readonly body: Body;
  /** Undefined at run time in an answer without one. */
  readonly error: Failure;
}

/** The API as one key sees it. Paths begin below `/api/v1`. */
interface Client {
  send(path: string, asked?: Asked): Promise<Response>;
  /** The same, with the body read. */
  ask<Body = never>(path: string, asked?: Asked): Promise<Answer<Body>>;
  /** The `data` member of an answer. */
  dataOf<Data = never>(path: string, asked?: Asked): Promise<Data>;
  /** A completion of `sim/fast`, unless the members say otherwise. */
  chat(members?: object, asked?: Asked): Promise<Response>;
}

export const HELLO = [{ role: 'user', content: 'hello' }] as const;

export function clientOf({ baseUrls }: Pick<TestCluster, 'baseUrls'>, ownKey: string | null): Client {
  const send: Client['send'] = (path, { method, body, headers = {}, key = ownKey, node = 0, signal } = {}) => {
    const isJson = typeof body === 'string' || (body !== undefined && isPlain(body));
    return fetch(`${baseUrls[node % baseUrls.length]}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytesOf(body) }),
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
      ...(signal ? { signal } : {}),
    });
  };
  const ask: Client['ask'] = async (path, asked) => read(await send(path, asked));
  return {
    send,
    ask,
    dataOf: async <Data>(path: string, asked?: Asked) => (await ask<{ readonly data: Data }>(path, asked)).body.data,
    chat: (members, asked) =>
      send('/chat/completions', { ...asked, body: { model: 'sim/fast', messages: HELLO, ...members } }),
  };
}

async function read<Body = never>(answer: Response): Promise<Answer<Body>> {
  const text = await answer.text();
  const isJson = /^application\/json/.test(answer.headers.get('content-type') ?? '');
  const body = isJson && text !== '' ? JSON.parse(text) : null;
  return { status: answer.status, headers: answer.headers, text, body, error: body?.error };
}

function isPlain(body: object): boolean {
  return Array.isArray(body) || Object.getPrototypeOf(body) === Object.prototype;
}

function bytesOf(body: object | string): NonNullable<RequestInit['body']> {
  return typeof body === 'object' && isPlain(body) ? JSON.stringify(body) : (body as string);
}

/** The type, message and details of a refusal. */
export async function refusal(answer: Response): Promise<{
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}> {
  const { error } = await read(answer);
  assert.is(error.code, answer.status);
  const { error_type: type, ...metadata } = error.metadata;
  return { status: answer.status, type, message: error.message, metadata };
}

interface Suite {
  after(hook: () => Promise<void>): unknown;
}

interface OpenApi extends Client {
  readonly cluster: TestCluster;
  /** The account and the key of the client. */
  readonly funded: Funded;
  /** The address of the first node. */
  readonly base: string;
}

/** The cluster of a test file and a client with this much money; the cluster is closed after the file's tests. */
export async function openApi(test: Suite, open: () => Promise<TestCluster>, amount = '10'): Promise<OpenApi> {
  const cluster = await open();
  test.after(() => cluster.close());
  const funded = await cluster.fund(amount);
  return { ...clientOf(cluster, funded.key), cluster, funded, base: cluster.baseUrls[0] as string };
}
