/** Parses accounts, keys, amounts and times from the command line. */
import { parseAddress } from '../../../../actors/runtime/index.ts';
import { accountAddress, endpointAddress, keyAddress, providerAddress } from '../../../../actors/terms/ids.ts';
import { parseUsd } from '../../../../actors/terms/usd.ts';
import type { Tenant } from '../../../management/services.ts';
import { ConfigError } from '../../config/config-error.ts';
import { findAddress, kindOfId } from '../../find-address.ts';
import { absentWords } from './absent.ts';
import { COMMAND_LINE } from './command-line.ts';
import type { GlobalOptions } from './global-options.ts';
import { withSession } from './session.ts';

/** `acct_1` or `account:acct_1` -> `account:acct_1`. @throws ConfigError */
export function accountFrom(text: string): string {
  const address = text.includes(':') ? text : accountAddress(text);
  const parsed = parseAddress(address);
  if (parsed?.kind === 'account' && parsed.local === null) return address;
  throw new ConfigError(`"${text}" is not an account; write acct_... as \`troupe accounts create\` printed it`);
}

/** The account of a command, changed by the operator. @throws ConfigError */
export function tenantFrom(text: string): Tenant {
  return { account: accountFrom(text).slice(accountAddress('').length), by: COMMAND_LINE };
}

/** `key_9`, `acct_1/key_9` or `key:acct_1/key_9` -> `key:acct_1/key_9`. @throws ConfigError */
export async function keyFrom(text: string, options: GlobalOptions): Promise<string> {
  if (kindOfId(text) === 'key') return addressFrom(text, options);
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

/** What commands say of the argument that `addressFrom` reads. */
export const NAMED = 'kind:owner or kind:owner/local, or an id such as batch_... alone';

/** The address of any actor; an id without its account is looked up at the cluster. @throws ConfigError */
export async function addressFrom(text: string, options: GlobalOptions): Promise<string> {
  if (parseAddress(text)) return text;
  requireName(text);
  const address = await withSession(options, ({ operator }) => findAddress(operator, text));
  if (address === null) throw new ConfigError(absentWords(text));
  return address;
}

/** @throws ConfigError for what is neither an address nor an id */
export function requireName(text: string): void {
  if (parseAddress(text) || kindOfId(text) !== null) return;
  throw new ConfigError(
    `"${text}" is not an address or an id; write kind:owner or kind:owner/local, such as account:acct_1, or batch_...`,
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
