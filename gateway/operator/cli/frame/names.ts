/** Parses accounts, keys, amounts and times from the command line. */
import { parseAddress } from '../../../../actors/runtime/index.ts';
import { accountAddress, endpointAddress, keyAddress, providerAddress } from '../../../../actors/terms/ids.ts';
import type { Principal } from '../../../../actors/terms/principal.ts';
import { parseUsd } from '../../../../actors/terms/usd.ts';
import type { Tenant } from '../../../management/services.ts';
import { ConfigError } from '../../config/config-error.ts';
import { findAddress, kindOfId } from '../../find-address.ts';
import { absentWords } from './absent.ts';
import type { Session } from './session.ts';

/** The principal of every change by a command of `troupe`, which holds the operator's token. */
export const COMMAND_LINE: Principal = { kind: 'operator', id: 'troupe' };

/** The account that a command names, changed by the operator. */
export interface Owner extends Tenant {
  readonly address: string;
}

/** `acct_1` or `account:acct_1`. @throws ConfigError */
export function ownerFrom(text: string): Owner {
  const address = text.includes(':') ? text : accountAddress(text);
  const parsed = parseAddress(address);
  if (parsed?.kind === 'account' && parsed.local === null)
    return { address, account: address.slice(accountAddress('').length), by: COMMAND_LINE };
  throw new ConfigError(`"${text}" is not an account; write acct_... as \`troupe accounts create\` printed it`);
}

/** An argument or option that names an account. */
export const owner = (meaning: string) => ({ meaning, parse: ownerFrom });

/** An option that is a whole number above zero. */
export const count = (meaning: string, what: string) => ({ meaning, parse: (text: string) => countFrom(text, what) });

/** The required `--reason` of a change. */
export function reason(meaning: string, charactersMax = 500) {
  const parse = (text: string): string => {
    const trimmed = text.trim();
    if (trimmed !== '' && trimmed.length <= charactersMax) return trimmed;
    throw new ConfigError(`--reason must have 1 to ${charactersMax} characters`);
  };
  return { meaning, required: true, parse } as const;
}

/** `key_9`, `acct_1/key_9` or `key:acct_1/key_9`. @throws ConfigError */
export function keyNameFrom(text: string): string {
  if (kindOfId(text) === 'key') return text;
  const [account = '', local = ''] = text.replace(/^key:/, '').split('/');
  const address = keyAddress(account, local);
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

/** The argument of commands that take the address of any actor. */
export const NAMED = {
  meaning: 'kind:owner or kind:owner/local, or an id such as batch_... alone',
  parse: nameFrom,
} as const;

/** The address of a name; an id without its account is looked up at the cluster. @throws ConfigError */
export async function addressIn({ operator }: Session, name: string): Promise<string> {
  const address = await findAddress(operator, name);
  if (address === null) throw new ConfigError(absentWords(name));
  return address;
}

/** @throws ConfigError for what is neither an address nor an id */
export function nameFrom(text: string): string {
  if (parseAddress(text) || kindOfId(text) !== null) return text;
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
