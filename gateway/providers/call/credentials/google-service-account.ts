import { importPKCS8, SignJWT } from 'jose';
import { type Credentials, keyHeaders } from '../../../outbound/credentials.ts';
import { type OutboundUrl, outboundUrl } from '../../../outbound/outbound.ts';
import { ProviderFailure } from '../../provider-failure.ts';

type Signer = Exclude<Credentials, readonly string[]>;
type Call = Parameters<Signer>[0];

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_S = 3_600;
/** A token is taken anew so long before its end, and is not sent any more shortly before it. */
const EARLY_MS = 300_000;
const LAST_MS = 30_000;
const LIFE_S_MAX = 86_400;
const LIMITS = { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 20_000, bodyBytesMax: 64 * 1024 };
const HEADERS = ['content-type', 'application/x-www-form-urlencoded', 'accept', 'application/json'];
const TOKEN = /^[\x21-\x7e]+$/;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** The accounts of this process: endpoints with one account share its token. */
const ACCOUNTS = new Map<string, AccountToken>();
const ACCOUNTS_MAX = 64;

/**
 * The token of a service account of Google's, from the text of its key file: exchanged at the file's own `token_uri`,
 * one exchange at a time, and kept until shortly before it ends.
 */
export function googleServiceAccount(secret: string): Signer {
  let account = ACCOUNTS.get(secret);
  if (account === undefined) {
    account = new AccountToken(secret);
    const [oldest] = ACCOUNTS.keys();
    if (ACCOUNTS.size >= ACCOUNTS_MAX && oldest !== undefined) ACCOUNTS.delete(oldest);
    ACCOUNTS.set(secret, account);
  }
  const { current } = account;
  return async (call) => keyHeaders('bearer', await current(call));
}

interface KeyFile {
  readonly email: string;
  readonly privateKey: string;
  readonly keyId: string | undefined;
  readonly tokenUri: string;
  readonly url: OutboundUrl;
}

class AccountToken {
  readonly #secret: string;
  #token = '';
  #endsAt = 0;
  #exchange: Promise<string> | null = null;

  constructor(secret: string) {
    this.#secret = secret;
  }

  readonly current = async (call: Call): Promise<string> => {
    const leftMs = this.#endsAt - call.clock.now();
    if (leftMs > EARLY_MS) return this.#token;
    this.#exchange ??= this.#exchanged(call).finally(() => {
      this.#exchange = null;
    });
    if (leftMs <= LAST_MS) return this.#exchange;
    // The token is still good: a failure is that of a later call, which exchanges again.
    this.#exchange.catch(() => {});
    return this.#token;
  };

  async #exchanged({ clock, outbound }: Call): Promise<string> {
    const key = keyFileOf(this.#secret);
    const body = new URLSearchParams({ grant_type: GRANT, assertion: await assertionOf(key, clock.now()) }).toString();
    const reply = await outbound.send({ method: 'POST', url: key.url, headers: HEADERS, body, limits: LIMITS });
    const text = await reply.body.text();
    if (reply.status !== 200) throw refused(reply.status);
    const { token, lifeS } = tokenIn(text);
    this.#token = token;
    this.#endsAt = clock.now() + lifeS * 1_000;
    return token;
  }
}

async function assertionOf({ email, privateKey, keyId, tokenUri }: KeyFile, nowMs: number): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1_000);
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) };
  try {
    return await new SignJWT({ scope: SCOPE })
      .setProtectedHeader(header)
      .setIssuer(email)
      .setAudience(tokenUri)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ASSERTION_S)
      .sign(await importPKCS8(privateKey, 'RS256'));
  } catch {
    throw invalidFile();
  }
}

function keyFileOf(secret: string): KeyFile {
  try {
    const file = JSON.parse(secret) as Readonly<Record<string, unknown>>;
    const { client_email: email, private_key: privateKey, private_key_id: keyId, token_uri: tokenUri } = file;
    if (typeof email !== 'string' || typeof privateKey !== 'string' || typeof tokenUri !== 'string')
      throw invalidFile();
    const { protocol, hostname } = new URL(tokenUri);
    if (protocol !== 'https:' && !LOOPBACK.has(hostname)) throw invalidFile();
    const url = outboundUrl(tokenUri, '');
    return { email, privateKey, keyId: typeof keyId === 'string' ? keyId : undefined, tokenUri, url };
  } catch {
    throw invalidFile();
  }
}

/** No part of the file, nor of an answer, is in a message. */
function invalidFile(): ProviderFailure {
  return new ProviderFailure('misconfigured', 'the key is not the key file of a service account');
}

/** The account is refused, or the service that gives tokens fails. */
function refused(status: number): ProviderFailure {
  const isOurs = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return new ProviderFailure(isOurs ? 'misconfigured' : 'unavailable', `no token for the service account: ${status}`);
}

function tokenIn(text: string): { readonly token: string; readonly lifeS: number } {
  try {
    const { access_token: token, expires_in: lifeS } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof token === 'string' && TOKEN.test(token) && typeof lifeS === 'number' && lifeS > 0) {
      return { token, lifeS: Math.min(lifeS, LIFE_S_MAX) };
    }
  } catch {
    // As one without a token.
  }
  throw new ProviderFailure('unavailable', 'an answer without a token for the service account');
}
