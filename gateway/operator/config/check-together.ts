/** Rules of a configuration that its schema cannot say. A module of its own: a short command needs no validator. */
import ipaddr from 'ipaddr.js';
import type { Retention } from '../../../actors/terms/retention.ts';
import { compare } from '../../../actors/terms/usd.ts';
import type { TargetRules } from '../../terms/config/config.ts';
import type { DepositConfig, X402Config } from '../../terms/config/deposit-config.ts';
import { ConfigError } from './config-error.ts';

/** Checks what the schema cannot: that origins are written as they are compared, and that ranges are ranges. */
export function checkTargets({ allowedTargets, refusedHosts }: TargetRules, source: string): void {
  allowedTargets.forEach((entry, at) => {
    const name = `${source}: webhooks.allowedTargets[${at}]`;
    if (!entry.includes('://')) checkRange(entry, name);
    else if (!URL.canParse(entry) || new URL(entry).origin !== entry) {
      const usual = URL.canParse(entry) ? `write ${new URL(entry).origin}` : 'name a scheme, a host and a port';
      throw new ConfigError(`${name} is ${entry}, which is not an origin in its usual form; ${usual}`);
    }
  });
  refusedHosts.forEach((entry, at) => {
    if (entry.includes('/')) checkRange(entry, `${source}: webhooks.refusedHosts[${at}]`);
  });
}

function checkRange(entry: string, name: string): void {
  if (ipaddr.isValidCIDR(entry)) return;
  throw new ConfigError(`${name} is ${entry}, which is not a range of addresses; write one such as 10.1.0.0/16`);
}

/** A charge stays in the ledger as long as it can be given back, which its generation decides. (rule K85) */
export function checkRetention({ generations, ledger }: Retention, source: string): void {
  if (ledger === null || (generations !== null && ledger >= generations)) return;
  const least = generations === null ? 'null' : `at least ${generations}`;
  throw new ConfigError(
    `${source}: retention.ledger is ${ledger} and must be ${least}, as retention.generations is ${generations}: a charge can be given back as long as its generation is kept; raise it, or lower retention.generations`,
  );
}

/** Shorter ones can be guessed. */
const SECRET_CHARACTERS_MIN = 16;
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Checks what the schema cannot: that bounds are in order, and that a facilitator is called over an authenticated and
 * encrypted connection. `env` is null where variables are not looked at. @throws ConfigError
 */
export function checkDeposits(
  { minUsd, maxUsd, x402 }: DepositConfig,
  source: string,
  env: Readonly<Record<string, string | undefined>> | null,
): void {
  if (compare(minUsd, maxUsd) > 0) {
    throw new ConfigError(`${source}: deposits.minUsd is ${minUsd} and must be at most deposits.maxUsd (${maxUsd})`);
  }
  if (x402 === undefined) return;
  checkFacilitator(x402, source);
  if (env !== null) checkSecret(x402, source, env[x402.secretEnv] ?? '');
}

function checkFacilitator({ facilitator }: X402Config, source: string): void {
  const name = `${source}: deposits.x402.facilitator is ${facilitator}`;
  if (!URL.canParse(facilitator))
    throw new ConfigError(`${name}, which is no address; write one such as https://host/x402`);
  const { protocol, hostname, username, password, search, hash } = new URL(facilitator);
  if (username !== '' || password !== '') throw new ConfigError(`${name}; keep the secret in deposits.x402.secretEnv`);
  if (search !== '' || hash !== '') throw new ConfigError(`${name} and must end with its path`);
  if (protocol === 'https:' || LOOPBACK.has(hostname)) return;
  throw new ConfigError(`${name} and must begin with https://: whoever answers in its place creates credit`);
}

function checkSecret({ secretEnv }: X402Config, source: string, secret: string): void {
  const name = `${source}: deposits.x402.secretEnv names ${secretEnv}`;
  if (secret.trim() === '') {
    throw new ConfigError(`${name}, which is not set or empty; export ${secretEnv}=... first, or remove deposits.x402`);
  }
  if (!/^[\x21-\x7e]+$/.test(secret))
    throw new ConfigError(`${name}, whose value has blanks or other characters that no header takes`);
  if (secret.length >= SECRET_CHARACTERS_MIN) return;
  throw new ConfigError(
    `${name}, whose value is shorter than ${SECRET_CHARACTERS_MIN} characters; use a longer secret`,
  );
}
