import { LRUCache } from 'lru-cache';
import type { Credential } from '../../../actors/key/credential.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import { isKeyText, keyDigest } from '../../../actors/terms/ids.ts';
import { secretDigest } from '../../../actors/terms/one-time.ts';
import type { Refusal } from '../../../actors/terms/refusal.ts';
import type { ClientAddresses, Remote } from '../../http/client-addresses.ts';
import { SETTINGS_MS } from '../../routing/workspaces.ts';
import type { Caller } from '../../terms/caller.ts';
import { GatewayError, refusalError } from '../../terms/gateway-error.ts';
import type { Budgets } from './budgets.ts';
import { type RequestCredential, unauthenticated } from './request-credential.ts';
import { sessionSecretOf } from './session-cookie.ts';

/** What a route requires: a key of some kind, or nothing (a credential that is sent anyway is counted). */
export type Policy = 'key' | 'management' | 'provider' | 'open';

/** The kinds of key that each policy admits. (rule K9, rule K11) */
const ADMITTED: Readonly<Record<Policy, readonly Caller['kind'][]>> = {
  key: ['inference'],
  management: ['management'],
  provider: ['provider', 'inference'],
  open: [],
};

const WRONG_KIND: Readonly<Record<Exclude<Policy, 'open'>, string>> = {
  key: 'Only inference keys can perform this operation: a key of another kind can neither spend nor report spend',
  management: 'Only management keys can perform this operation',
  provider: "Only keys of a provider's account can perform this operation",
};

/** All requests without a valid key are one holder: an address costs nothing, and one client may have many. */
export const STRANGERS = 'strangers';

/** What authentication reads and writes of a request. */
export interface Authenticated {
  readonly credential: RequestCredential;
  /** Digest of the credential's key; null without one. */
  digest: string | null;
  /** Null until the key is found; stays null for a credential that matches no key. */
  caller: Caller | null;
  /** The client address, once a request without a valid key was counted by it; else null. */
  address: string | null;
  /** True once the caller's rate budget was charged for this request. */
  counted: boolean;
}

interface AuthenticationOptions {
  readonly cluster: Pick<Cluster, 'rows' | 'now'>;
  readonly budgets: Budgets;
  readonly clients: ClientAddresses;
  readonly pepper: Uint8Array;
  readonly callersMax: number;
  readonly deadKeyMs: number;
}

/**
 * Look-ups at once for keys that this node does not know, sent from addresses whose budget is used up. A valid key from
 * such an address still enters, and wrong ones cannot occupy the store.
 */
const LIMITED_LOOKUPS_MAX = 8;

/**
 * State of a digest or an address, valid until a store time in ms. The entry for a dead key is kept after that time
 * until the key's actor reports the key alive: the key is then looked up and counted before the request proceeds, as an
 * unknown one is.
 */
type Remembered =
  | { readonly type: 'limited'; readonly limit: number; readonly resetAt: number; readonly until: number }
  | { readonly type: 'dead' | 'unknown'; readonly until: number };

/** A caller as its row stated it, read again after a store time in ms. */
interface KnownCaller {
  readonly caller: Caller;
  readonly until: number;
}

/**
 * Authenticates requests. A credential becomes a digest, the digest a caller. All of it but the workspace is immutable,
 * so it is cached, and read again after `SETTINGS_MS`. The key's actor decides in the admit or in a count whether the
 * key is alive; a used-up window is remembered until its reset. Every request without a valid key is counted by its
 * client address, then one with a wrong key by that key too; every reason that the key itself has gives the same 401. A
 * key that is known to be dead takes the path of an unknown one before its body is read, with as many look-ups and
 * counts, so that its holder cannot find out that the key ever existed. The browser of a session that this node knows
 * is counted by its session instead of its address. (rule K4, rule K5, rule E16)
 */
export class Authentication {
  readonly #options: AuthenticationOptions;
  /** Digests of keys that were found, by key text: saves two hashes per request. */
  readonly #digests: LRUCache<string, string>;
  readonly #callers: LRUCache<string, KnownCaller>;
  /** Rows of known keys that are being read again, by digest. */
  readonly #renewing = new Map<string, Promise<Caller>>();
  readonly #remembered: LRUCache<string, Remembered>;
  /** Secrets of sessions that were open when a page was last read here. */
  readonly #sessions: LRUCache<string, true>;
  #limitedLookups = 0;

  constructor(options: AuthenticationOptions) {
    this.#options = options;
    const max = options.callersMax;
    this.#digests = new LRUCache({ max });
    this.#callers = new LRUCache({ max });
    this.#remembered = new LRUCache({ max });
    this.#sessions = new LRUCache({ max });
  }

  /** The account of a key that this node has seen alive; null for any other request. Asks nothing. */
  accountOf({ credential }: Pick<Authenticated, 'credential'>): string | null {
    const digest = credential.type === 'key' ? this.#digests.get(credential.key) : undefined;
    if (digest === undefined) return null;
    const remembered = this.#remembered.get(digest);
    if (remembered !== undefined && remembered.type !== 'limited') return null;
    return this.#callers.get(digest)?.caller.account ?? null;
  }

  /**
   * Null: proceed. A promise resolves to proceed, or rejects with the refusal (GatewayError 401, 403 or 429). The
   * address of `connection` is read only if it is counted.
   */
  enter(context: Authenticated, policy: Policy, connection: Remote): Promise<void> | null {
    const { credential } = context;
    if (credential.type !== 'key') return this.#countKeyless(context, policy, connection);
    const known = this.#digests.get(credential.key);
    const digest = known ?? keyDigest(this.#options.pepper, credential.key);
    context.digest = digest;
    const remembered = this.#recall(digest);
    if (remembered?.type === 'limited') return Promise.reject(refusalError(tooManyOf(remembered), this.#now()));
    const found = this.#callers.get(digest);
    const lapsed = remembered !== undefined && remembered.until <= this.#now();
    if (!found || lapsed) return this.#findCaller(context, policy, connection, remembered);
    if (remembered !== undefined) return this.#countSuspect(context, policy, connection, found);
    const { caller, until } = found;
    if (until <= this.#now()) return this.#renew(context, policy, caller);
    context.caller = caller;
    return isRequired(caller.kind, policy) ? null : this.#countKnown(context, policy);
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

  /** Remembers whether the session of a cookie is open. A request whose session is not known is counted by its address. */
  noteSession(secret: string, isOpen: boolean): void {
    if (isOpen) this.#sessions.set(secret, true);
    else this.#sessions.delete(secret);
  }

  /** Remembers the refusal of a count or an admit if it concerns the key. */
  remember({ digest, credential }: Authenticated, { status, headers }: GatewayError): void {
    if (digest === null) return;
    if (status === 401 && credential.type === 'key') this.#digests.delete(credential.key);
    const resetAt = Number(headers['x-ratelimit-reset'] ?? 0) * 1_000;
    if (status === 401) {
      this.#remembered.set(digest, { type: 'dead', until: this.#now() + this.#options.deadKeyMs });
    } else if (status === 429 && resetAt > 0 && headers['x-should-retry'] === undefined) {
      // A 429 that advises a repeat is of another limit, such as that of active batches.
      const limit = Number(headers['x-ratelimit-limit']);
      this.#remembered.set(digest, { type: 'limited', limit, resetAt, until: resetAt });
    }
  }

  async #findCaller(
    context: Authenticated,
    policy: Policy,
    connection: Remote,
    remembered: Exclude<Remembered, { type: 'limited' }> | undefined,
  ): Promise<void> {
    const key = context.credential.type === 'key' ? context.credential.key : '';
    const digest = context.digest as string;
    const readAt = this.#now();
    const found = remembered?.type === 'unknown' ? null : await this.#load(digest, connection);
    // Malformed keys are looked up too, so that they take as long.
    if (found === null || !isKeyText(key)) return this.#countUnknown(context, policy, connection);
    const known = knownFrom(callerOf(found), readAt);
    if (remembered?.type === 'dead' || this.#isDead(found)) {
      await this.#countSuspect(context, policy, connection, known);
    } else {
      context.caller = known.caller;
      this.#callers.set(digest, known);
      if (!isRequired(known.caller.kind, policy)) await this.#countKnown(context, policy);
    }
    if (this.#remembered.get(digest)?.type !== 'dead') this.#digests.set(key, digest);
  }

  /**
   * Reads the row of a known key again, for its workspace. Without the store the caller stays as it is: whatever spends
   * or changes something is judged by actors, which need the store.
   */
  async #renew(context: Authenticated, policy: Policy, known: Caller): Promise<void> {
    context.caller = await this.#readAgain(context.digest as string, known);
    if (!isRequired(context.caller.kind, policy)) await this.#countKnown(context, policy);
  }

  #readAgain(digest: string, known: Caller): Promise<Caller> {
    const reading = this.#renewing.get(digest) ?? this.#read(digest, known);
    this.#renewing.set(digest, reading);
    return reading;
  }

  async #read(digest: string, known: Caller): Promise<Caller> {
    const readAt = this.#now();
    try {
      const row = await this.#options.cluster.rows.rowById('credential', digest);
      const caller = row === null ? known : callerOf(JSON.parse(row.body) as Credential);
      this.#callers.set(digest, knownFrom(caller, readAt));
      return caller;
    } catch {
      return known;
    } finally {
      this.#renewing.delete(digest);
    }
  }

  async #load(digest: string, connection: Remote): Promise<Credential | null> {
    const limited = this.#limitOf(this.#options.clients.of(connection));
    if (limited !== null && this.#limitedLookups >= LIMITED_LOOKUPS_MAX) throw limited;
    if (limited !== null) this.#limitedLookups++;
    try {
      const row = await this.#options.cluster.rows.rowById('credential', digest);
      return row === null ? null : (JSON.parse(row.body) as Credential);
    } finally {
      if (limited !== null) this.#limitedLookups--;
    }
  }

  /** True if the stored row says dead. The row may be stale, so its actor is asked before the key is refused. */
  #isDead({ status, expiresAt }: Credential): boolean {
    return status !== 'active' || (expiresAt !== null && expiresAt <= this.#now());
  }

  /**
   * Counts a key that was dead a moment ago: by its address, as every request without a valid key, then by itself.
   * Until the address has passed, nothing of the key is used or cached, as for an unknown one. A key that is alive again
   * may have been moved meanwhile: its row is read again where it is not fresh.
   */
  async #countSuspect(context: Authenticated, policy: Policy, connection: Remote, known: KnownCaller): Promise<void> {
    await this.#countAddress(context, connection);
    const digest = context.digest as string;
    context.caller = known.caller;
    this.#callers.set(digest, known);
    await this.#countKnown(context, policy);
    const isAlive = this.#remembered.get(digest) === undefined;
    if (isAlive && known.until <= this.#now()) context.caller = await this.#readAgain(digest, known.caller);
  }

  /** Counts a known key on an open route or of the wrong kind, or a key that was dead a moment ago. */
  async #countKnown(context: Authenticated, policy: Policy): Promise<void> {
    const error = await this.count(context);
    if (error?.status === 429 || (error !== null && policy !== 'open')) throw error;
    if (policy !== 'open' && context.caller && !isRequired(context.caller.kind, policy)) throw wrongKind(policy);
    if (context.digest !== null && error === null) this.#remembered.delete(context.digest);
  }

  async #countUnknown(context: Authenticated, policy: Policy, connection: Remote): Promise<void> {
    await this.#countAddress(context, connection);
    const digest = context.digest as string;
    const now = this.#now();
    const refusal = await this.#options.budgets.countUnknown(digest);
    // Not prolonged: a key that is issued or imported meanwhile works within that time, however often it is sent.
    if (!this.#rememberLimit(digest, refusal) && this.#recall(digest)?.type !== 'unknown') {
      this.#remembered.set(digest, { type: 'unknown', until: now + this.#options.deadKeyMs });
    }
    if (refusal) throw refusalError(refusal, now);
    if (policy !== 'open') throw refusalError(unauthenticated(context.credential), now);
  }

  async #countKeyless(context: Authenticated, policy: Policy, connection: Remote): Promise<void> {
    const session = context.credential.type === 'none' ? sessionSecretOf(connection.headers) : null;
    if (policy === 'open' && session !== null && this.#sessions.has(session)) {
      return this.#countSession(context, session, connection);
    }
    await this.#countAddress(context, connection);
    if (policy !== 'open') throw refusalError(unauthenticated(context.credential), this.#now());
  }

  /** The address names the requester in the endpoint's window, as it does for every request without a key. */
  async #countSession(context: Authenticated, secret: string, connection: Remote): Promise<void> {
    context.address = this.#options.clients.of(connection);
    const digest = secretDigest(this.#options.pepper, 'session', secret);
    const limited = this.#limitOf(digest);
    if (limited !== null) throw limited;
    const refusal = await this.#options.budgets.countSession(digest);
    this.#rememberLimit(digest, refusal);
    if (refusal) throw refusalError(refusal, this.#now());
  }

  /** Counts a request without a valid key by its client address. */
  async #countAddress(context: Authenticated, connection: Remote): Promise<void> {
    const address = this.#options.clients.of(connection);
    context.address = address;
    const limited = this.#limitOf(address);
    if (limited !== null) throw limited;
    const refusal = await this.#options.budgets.countAddress(address);
    this.#rememberLimit(address, refusal);
    if (refusal) throw refusalError(refusal, this.#now());
  }

  /** The 429 of a digest or an address whose window is known to be used up, or null. */
  #limitOf(name: string): GatewayError | null {
    const remembered = this.#recall(name);
    return remembered?.type === 'limited' ? refusalError(tooManyOf(remembered), this.#now()) : null;
  }

  /** Remembers a used-up window of a digest or an address; false if the refusal names none. */
  #rememberLimit(name: string, refusal: Refusal | null): boolean {
    if (!refusal?.window) return false;
    const { limit, resetAt } = refusal.window;
    this.#remembered.set(name, { type: 'limited', limit, resetAt, until: resetAt });
    return true;
  }

  #recall(name: string): Remembered | undefined {
    const remembered = this.#remembered.get(name);
    if (remembered === undefined || remembered.type === 'dead' || remembered.until > this.#now()) return remembered;
    this.#remembered.delete(name);
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

/** What a row said that was read at a store time in ms. */
function knownFrom(caller: Caller, readAt: number): KnownCaller {
  return { caller, until: readAt + SETTINGS_MS };
}

function callerOf({ account, key, kind, label, workspace }: Credential): Caller {
  return workspace === undefined ? { account, key, kind, label } : { account, key, kind, label, workspace };
}

function isRequired(kind: Caller['kind'], policy: Policy): boolean {
  return ADMITTED[policy].includes(kind);
}

/** 403: the key is valid, and of another kind than the route requires. */
export function wrongKind(policy: Exclude<Policy, 'open'>): GatewayError {
  return new GatewayError({ status: 403, type: 'permission_denied', message: WRONG_KIND[policy] });
}
