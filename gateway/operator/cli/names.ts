/** Parses accounts, keys, amounts and times from the command line. */
import { parseAddress } from '../../../actors/runtime/index.ts';
import { accountAddress, endpointAddress, keyAddress, providerAddress } from '../../../actors/terms/ids.ts';
import { parseUsd } from '../../../actors/terms/usd.ts';
import { ConfigError } from '../config/config-error.ts';

/** `acct_1` or `account:acct_1` -> `account:acct_1`. @throws ConfigError */
export function accountFrom(text: string): string {
  const address = text.includes(':') ? text : accountAddress(text);
  const parsed = parseAddress(address);
  if (parsed?.kind === 'account' && parsed.local === null) return address;
  throw new ConfigError(`"${text}" is not an account; write acct_... as \`troupe accounts create\` printed it`);
}

/** `acct_1/key_9` or `key:acct_1/key_9` -> `key:acct_1/key_9`. @throws ConfigError */
export function keyFrom(text: string): string {
  const [owner = '', local = ''] = text.replace(/^key:/, '').split('/');
  const address = keyAddress(owner, local);
  const parsed = parseAddress(address);
  if (parsed?.kind === 'key' && parsed.local !== null) return address;
  throw new ConfigError(`"${text}" is not a key; write acct_.../key_... as \`troupe keys list\` prints it`);
}

/** `ep_1` or `endpoint:ep_1` -> `endpoint:ep_1`. @throws ConfigError */
export function endpointFrom(text: string): string {
  const address = endpointAddress(text.replace(/^endpoint:/, ''));
  if (/^endpoint:ep_[^/]+$/.test(address) && parseAddress(address)) return address;
  throw new ConfigError(`"${text}" is not an endpoint; write ep_... as \`troupe endpoints list\` prints it`);
}

/** `alpha` or `provider:alpha` -> `provider:alpha`. @throws ConfigError */
export function providerFrom(text: string): string {
  const address = providerAddress(text.replace(/^provider:/, ''));
  if (/^provider:[a-z0-9-]+$/.test(address)) return address;
  throw new ConfigError(`"${text}" is not a provider; write its slug as \`troupe providers list\` prints it`);
}

/** The address of any actor. @throws ConfigError */
export function addressFrom(text: string): string {
  if (parseAddress(text)) return text;
  throw new ConfigError(
    `"${text}" is not an address; write kind:owner or kind:owner/local, such as account:acct_1 or key:acct_1/key_9`,
  );
}

/** Exact decimal USD above zero. @throws ConfigError */
export function amountFrom(text: string): string {
  const amount = parseUsd(text);
  if (amount !== null && amount !== '0') return amount;
  throw new ConfigError(`"${text}" is not an amount; write USD as a decimal number above zero, such as 25 or 0.50`);
}

/** A whole number above zero. @throws ConfigError */
export function countFrom(text: string, what: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ConfigError(`"${text}" is not a ${what}; write a whole number above zero`);
}

/** ISO 8601 with its zone -> store time in ms. @throws ConfigError */
export function timeFrom(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new ConfigError(`"${text}" is not a time; write it as 2030-01-31T00:00:00Z`);
}
