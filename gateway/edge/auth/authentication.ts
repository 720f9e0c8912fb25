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

/** What a route requires: an inference key, or nothing (a credential that is sent anyway is counted). */
export type Policy = 'key' | 'open';

/** The members of a request context that authentication reads and writes. */
export type Authenticated = Pick<RequestContext, 'credential' | 'digest' | 'caller' | 'counted'>;

/** The origin of a request, such as its socket. */
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
 * State of a digest, valid until a store time in ms. The entry for a dead key is kept after that time until the key's
 * actor reports the key alive: the key is then looked up and counted before the request proceeds, as an unknown one is.
 */
type Remembered =
  | { readonly type: 'limited'; readonly limit: number; readonly resetAt: number; readonly until: number }
  | { readonly type: 'dead' | 'unknown'; readonly until: number };

/**
 * Authenticates requests. A credential becomes a digest, the digest a caller. That mapping is immutable, so it is
 * cached. The key's actor decides in the admit or in a count whether the key is alive; a used-up window is remembered
 * until its reset. Every refused request is counted, and each reason gives the same 401. A key that is known to be dead
 * takes the path of an unknown one before its body is read, with as many look-ups and counts, so that its holder cannot
 * find out that the key ever existed. (spec: inference, Authentication; reliability A1, attack 13)
 */
export class Authentication {
  readonly #options: AuthenticationOptions;
  /** Digests of keys that were found, by key text: saves two hashes per request. */
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
   * Null: proceed. A promise resolves to proceed, or rejects with the refusal (GatewayError 401, 403 or 429). The
   * address of `connection` is read only if it is counted.
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
   * Charges the caller's budget for a request that was not admitted. Resolves with the refusal that replaces the
   * request's own answer, or null. Counts at most once per request.
   */
  async count(context: Authenticated): Promise<GatewayError | null> {
    const { caller } = context;
    if (!caller || context.counted) return null;
    context.counted = true;
    const refusal = await this.#options.budgets.countKey(caller.key);
    if (refusal === null) return null;
    const error = refusalError(refusal, this.#now());
    this.remember(context, error);
    return error;
  }

  /** Remembers the refusal of a count or an admit if it concerns the key. */
  remember({ digest, credential }: Authenticated, { status, headers }: GatewayError): void {
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
    // Malformed keys are looked up too, so that they take as long.
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

  /** True if the stored row says dead. The row may be stale, so its actor is asked before the key is refused. */
  #isDead({ status, expiresAt }: Credential): boolean {
    return status !== 'active' || (expiresAt !== null && expiresAt <= this.#now());
  }

  /** Counts a known key on an open route, a management key on a key route, or a key that was dead a moment ago. */
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
