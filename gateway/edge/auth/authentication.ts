import { LRUCache } from 'lru-cache';
import type { Credential } from '../../../actors/key/credential.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { isKeyText, keyDigest } from '../../../actors/terms/ids.ts';
import type { Refusal } from '../../../actors/terms/refusal.ts';
import { UNAUTHENTICATED } from '../../../actors/terms/unauthenticated.ts';
import type { Caller } from '../../terms/caller.ts';
import { GatewayError } from '../../terms/gateway-error.ts';
import { refusalError } from '../../terms/refusal-error.ts';
import type { RequestContext } from '../request-context.ts';
import type { Budgets } from './budgets.ts';
import { clientAddress } from './client-address.ts';

/** What a route asks of its caller: an inference key, or nothing (a credential that is sent all the same is counted). */
export type Policy = 'key' | 'open';

/** What authentication reads and writes of a request. */
export type Authenticated = Pick<RequestContext, 'credential' | 'digest' | 'caller' | 'counted'>;

/** Where a request came from; a socket will do. */
export interface Remote {
  readonly remoteAddress?: string | undefined;
}

export interface AuthenticationOptions {
  readonly cluster: Pick<Cluster, 'rows' | 'now'>;
  readonly budgets: Budgets;
  readonly pepper: Uint8Array;
  readonly callersMax: number;
  readonly deadKeyMs: number;
}

/**
 * What is remembered of a digest until a moment (store time in ms). That a key was dead is remembered beyond it, until its
 * actor says otherwise: it is then looked up anew, as an unknown one is, and counted before anything else.
 */
type Remembered =
  | { readonly type: 'limited'; readonly limit: number; readonly resetAt: number; readonly until: number }
  | { readonly type: 'dead' | 'unknown'; readonly until: number };

/**
 * Finds out who asks. A credential becomes a digest, the digest a caller: immutable, so it is remembered. Whether the
 * key still lives is its actor's to say, in the admit or in a count; a used-up window is remembered until its reset.
 * Every refused try counts, and each reason has the same 401. A key that is known to be dead takes the way of an unknown
 * one, as many look-ups and counts, before its body is asked for: who holds it does not learn that it ever lived.
 * (spec: inference, Authentication; reliability A1, attack 13)
 */
export class Authentication {
  readonly #options: AuthenticationOptions;
  /** Digests of keys that were found, by their whole text: two hashes less per request. */
  readonly #digests: LRUCache<string, string>;
  readonly #callers: LRUCache<string, Caller>;
  readonly #remembered: LRUCache<string, Remembered>;

  constructor(options: AuthenticationOptions) {
    this.#options = options;
    const max = options.callersMax;
    this.#digests = new LRUCache({ max });
    this.#callers = new LRUCache({ max });
    this.#remembered = new LRUCache({ max });
  }

  /**
   * Null: go on. A promise resolves to go on, or rejects with the refusal (GatewayError 401, 403 or 429). `connection`
   * is asked for its address only where that is counted.
   */
  enter(context: Authenticated, policy: Policy, connection: Remote): Promise<void> | null {
    const { credential } = context;
    if (credential.type === 'none' && policy === 'open') return null;
    if (credential.type !== 'key') return this.#countAddress(policy, clientAddress(connection.remoteAddress));
    const known = this.#digests.get(credential.key);
    const digest = known ?? keyDigest(this.#options.pepper, credential.key);
    context.digest = digest;
    const remembered = this.#recall(digest);
    if (remembered?.type === 'limited') return Promise.reject(refusalError(tooManyOf(remembered), this.#now()));
    const caller = this.#callers.get(digest);
    const lapsed = remembered !== undefined && remembered.until <= this.#now();
    if (!caller || lapsed) return this.#findCaller(context, policy, digest, remembered);
    context.caller = caller;
    if (policy === 'key' && caller.kind === 'inference' && remembered === undefined) return null;
    return this.#countKnown(context, policy);
  }

  /**
   * Charges the caller's budget for a request that was not admitted. Resolves with the answer that takes the place of
   * whatever the request would have been told, or null. Counts at most once per request.
   */
  async count(context: Authenticated): Promise<GatewayError | null> {
    const { caller } = context;
    if (!caller || context.counted) return null;
    context.counted = true;
    const refusal = await this.#options.budgets.countKey(caller.key);
    if (refusal === null) return null;
    const error = refusalError(refusal, this.#now());
    this.learn(context, error);
    return error;
  }

  /** Remembers what a count or an admit was refused with, where it says something of the key. */
  learn({ digest, credential }: Authenticated, { status, headers }: GatewayError): void {
    if (digest === null) return;
    if (status === 401 && credential.type === 'key') this.#digests.delete(credential.key);
    const resetAt = Number(headers['x-ratelimit-reset'] ?? 0) * 1_000;
    if (status === 401) {
      this.#remembered.set(digest, { type: 'dead', until: this.#now() + this.#options.deadKeyMs });
    } else if (status === 429 && resetAt > 0) {
      const limit = Number(headers['x-ratelimit-limit']);
      this.#remembered.set(digest, { type: 'limited', limit, resetAt, until: resetAt });
    }
  }

  async #findCaller(
    context: Authenticated,
    policy: Policy,
    digest: string,
    remembered: Exclude<Remembered, { type: 'limited' }> | undefined,
  ): Promise<void> {
    const key = context.credential.type === 'key' ? context.credential.key : '';
    const found = remembered?.type === 'unknown' ? null : await this.#load(digest);
    // What is no key is looked up all the same, so that it takes as long.
    if (found === null || !isKeyText(key)) return this.#countUnknown(policy, digest);
    const { account, key: address, kind } = found;
    const caller: Caller = { account, key: address, kind };
    this.#callers.set(digest, caller);
    context.caller = caller;
    const suspect = remembered?.type === 'dead' || this.#isDead(found);
    if (policy === 'open' || kind === 'management' || suspect) await this.#countKnown(context, policy);
    if (this.#remembered.get(digest)?.type !== 'dead') this.#digests.set(key, digest);
  }

  async #load(digest: string): Promise<Credential | null> {
    const row = await this.#options.cluster.rows.rowById('credential', digest);
    return row === null ? null : (JSON.parse(row.body) as Credential);
  }

  /** As its row has it, which may be a moment old: only a reason to ask its actor first. */
  #isDead({ status, expiresAt }: Credential): boolean {
    return status !== 'active' || (expiresAt !== null && expiresAt <= this.#now());
  }

  /** A known key on a route that needs none, a management key where it may not be, or one that was dead a moment ago. */
  async #countKnown(context: Authenticated, policy: Policy): Promise<void> {
    const error = await this.count(context);
    if (error?.status === 429 || (error !== null && policy === 'key')) throw error;
    if (policy === 'key' && context.caller?.kind === 'management') throw onlyManages();
    if (context.digest !== null && error === null) this.#remembered.delete(context.digest);
  }

  async #countUnknown(policy: Policy, digest: string): Promise<void> {
    const now = this.#now();
    const refusal = await this.#options.budgets.countUnknown(digest);
    if (refusal?.window) {
      const { limit, resetAt } = refusal.window;
      this.#remembered.set(digest, { type: 'limited', limit, resetAt, until: resetAt });
    } else {
      this.#remembered.set(digest, { type: 'unknown', until: now + this.#options.deadKeyMs });
    }
    if (refusal) throw refusalError(refusal, now);
    if (policy === 'key') throw refusalError(UNAUTHENTICATED, now);
  }

  async #countAddress(policy: Policy, address: string): Promise<void> {
    const refusal = await this.#options.budgets.countAddress(address);
    if (refusal) throw refusalError(refusal, this.#now());
    if (policy === 'key') throw refusalError(UNAUTHENTICATED, this.#now());
  }

  #recall(digest: string): Remembered | undefined {
    const remembered = this.#remembered.get(digest);
    if (remembered === undefined || remembered.type === 'dead' || remembered.until > this.#now()) return remembered;
    this.#remembered.delete(digest);
    return undefined;
  }

  #now(): number {
    return this.#options.cluster.now();
  }
}

function tooManyOf({ limit, resetAt }: { readonly limit: number; readonly resetAt: number }): Refusal {
  return {
    status: 429,
    type: 'rate_limit_exceeded',
    message: `Rate limit of ${limit} requests per minute exceeded`,
    window: { limit, resetAt },
  };
}

function onlyManages(): GatewayError {
  const message = 'A management key manages keys only: it can neither spend nor report spend';
  return new GatewayError({ status: 403, type: 'permission_denied', message });
}
