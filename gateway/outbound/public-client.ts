import dns from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import buildConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import type { Clock } from '../../actors/runtime/index.ts';
import type { TargetRules } from '../terms/config/config.ts';
import { type CallbackTarget, isCallable, judgeCallbackUrl } from './callback-url.ts';
import { type Lease, WITHOUT_LEASE, waitForLease } from './lease.ts';
import { BLOCKED, type PostOutcome, PublicExchange } from './public-exchange.ts';

/** Addresses of one answer of the name service; a longer answer is refused. */
const ADDRESSES_MAX = 16;
const HEADER_BYTES_MAX = 16 * 1024;

export interface PublicPost {
  readonly url: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface PublicClientParts {
  readonly clock: Clock;
  readonly rules: TargetRules;
  /** Limit of a whole post, from the look-up of the name on, ms. */
  readonly answerMs: number;
  readonly answerBytesMax: number;
  /** Of this node; no post begins while it does not hold. */
  readonly lease: Lease;
  /** The addresses of a name; replaced by tests. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** PEM text of an authority that is trusted instead of the public ones; only tests have one. */
  readonly ca?: string;
}

/**
 * Posts to URLs that customers named. Every connection is new, is closed after its answer, and leads to an address of
 * the one look-up that was judged for it: public, and none of this service. Certificates are verified by host name. No
 * redirect is followed, no proxy is used, and the answer's bytes are dropped. (rule E42, rule E44)
 */
export class PublicClient {
  readonly #parts: PublicClientParts;
  /** Asks the name servers directly: neither the hosts file nor the few threads of the system's resolver. */
  readonly #resolver = new dns.Resolver({ timeout: 3_000, tries: 2 });

  constructor(parts: PublicClientParts) {
    this.#parts = parts;
  }

  /** Resolves however the post ends; rejects with the signal's reason once that is aborted. */
  async post({ url, headers, body, signal }: PublicPost): Promise<PostOutcome> {
    signal.throwIfAborted();
    const target = judgeCallbackUrl(url, this.#parts.rules);
    if (typeof target === 'string') return { failure: 'blocked', message: `the URL ${target}` };
    const { clock, answerMs, answerBytesMax, lease } = this.#parts;
    const holds = lease.connected || (await waitForLease(() => lease.connected, clock, answerMs));
    signal.throwIfAborted();
    if (!holds) return { failure: 'timeout', message: WITHOUT_LEASE };
    const client = new Client(target.url.origin, this.#options(target));
    const exchange = new PublicExchange(answerBytesMax, lease);
    const disarm = clock.after(answerMs, () => exchange.end('timeout', `no whole answer within ${answerMs} ms`));
    const abort = (): void => exchange.end('timeout', 'the post was aborted');
    signal.addEventListener('abort', abort, { once: true });
    const path = target.url.pathname + target.url.search;
    // `reset` announces that the connection closes after the answer.
    const request = { method: 'POST', path, headers: headers as string[], body, reset: true } as const;
    client.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, exchange);
    try {
      return await exchange.outcome;
    } finally {
      disarm();
      signal.removeEventListener('abort', abort);
      void client.destroy().catch(() => {});
      signal.throwIfAborted();
    }
  }

  #options(target: CallbackTarget): Client.Options {
    const { answerMs, ca } = this.#parts;
    const trust = ca === undefined ? {} : { ca };
    // The connector belongs to this one call, so that no TLS session outlives it.
    const connect = buildConnector({
      ...trust,
      timeout: answerMs,
      allowH2: false,
      maxCachedSessions: 0,
      // The types name only the options of TLS; the look-up is passed on to the socket.
      ...({ lookup: this.#lookup(target) } as object),
    });
    return { pipelining: 1, connect, allowH2: false, maxHeaderSize: HEADER_BYTES_MAX };
  }

  /** The look-up of one connection: all addresses of the answer are judged, and only these can be connected to. */
  #lookup({ isAllowed }: CallbackTarget): LookupFunction {
    return (host, options, done) => {
      this.#addresses(host, isAllowed).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIP(address) }));
          const [first] = found;
          if (options.all === true) done(null, found);
          else if (first !== undefined) done(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => done(error, '', 0),
      );
    };
  }

  async #addresses(host: string, isAllowed: boolean): Promise<readonly string[]> {
    const { resolve, rules } = this.#parts;
    if (isAllowed && resolve === undefined) {
      return (await dns.lookup(host, { all: true })).map(({ address }) => address);
    }
    const addresses = await (resolve ?? ((name) => this.#ask(name)))(host);
    if (addresses.length === 0) throw new Error(`${host} has no address`);
    const refused = isAllowed ? undefined : addresses.find((address) => !isCallable(address, rules));
    if (refused === undefined && addresses.length <= ADDRESSES_MAX) return addresses;
    const why = refused === undefined ? `${addresses.length} addresses` : `the address ${refused}`;
    throw Object.assign(new Error(`${host} has ${why}`), { code: BLOCKED });
  }

  async #ask(host: string): Promise<readonly string[]> {
    const answers = await Promise.allSettled([this.#resolver.resolve4(host), this.#resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }
}
