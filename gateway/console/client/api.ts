/** The operator API, as the browser calls it. Every answer is JSON; every refusal becomes an `ApiFault`. */

/** Longest wait for an answer; a page then says that it is disconnected, and asks again. */
const ANSWER_MS = 15_000;

/** Who is signed in, and to what. */
export interface OperatorSession {
  readonly role: 'viewer' | 'operator';
  readonly name: string;
  readonly node: string;
  readonly cluster: string;
  /** Sent with every change. */
  readonly csrf: string;
  /** ms. */
  readonly expiresAt: number;
  readonly nodes: readonly { readonly name: string; readonly operatorUrl: string; readonly live: boolean }[];
}

/** One page of a list; `next` is the cursor of the page after it, null at the end. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly next: string | null;
}

/** A refusal of the API, or no answer: then `status` is 0. */
export class ApiFault extends Error {
  override readonly name = 'ApiFault';
  readonly status: number;
  readonly code: string;
  /** The member of the request that is wrong; null if none is named. */
  readonly member: string | null;

  constructor(status: number, code: string, message: string, member: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.member = member;
  }
}

export type Query = Readonly<Record<string, string | number | null | undefined>>;

let csrf = '';
let ended: () => void = () => {};

/** Called when the node no longer accepts the session of this page. */
export function onSessionEnd(see: () => void): void {
  ended = see;
}

/** Remembers the token that changes carry. */
export function useSessionToken(session: OperatorSession): void {
  csrf = session.csrf;
}

export function get<T>(path: string, query: Query = {}): Promise<T> {
  return call<T>(addressOf(path, query), { method: 'GET' });
}

export function post<T>(path: string, body: object): Promise<T> {
  return call<T>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-troupe-csrf': csrf },
    body: JSON.stringify(body),
  });
}

export function signOut(): Promise<unknown> {
  return call('/api/session', { method: 'DELETE', headers: { 'x-troupe-csrf': csrf } });
}

/** The path with the members of the query that have a value. */
export function addressOf(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

async function call<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: 'same-origin', signal: AbortSignal.timeout(ANSWER_MS) });
  } catch {
    throw new ApiFault(0, 'disconnected', 'The node does not answer.');
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body as T;
  if (response.status === 401) ended();
  throw faultOf(response.status, body);
}

interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly member?: string;
}

function faultOf(status: number, body: unknown): ApiFault {
  const error = (body as { readonly error?: Refusal | string } | null)?.error;
  const refusal: Refusal = typeof error === 'string' ? { message: error } : (error ?? {});
  const message = refusal.message ?? `The node answered ${status}.`;
  return new ApiFault(status, refusal.code ?? 'failed', message, refusal.member ?? null);
}
