/** Parses accounts, keys, amounts and times from the command line. */
import { parseAddress } from '../../../../actors/runtime/index.ts';
import { accountAddress, endpointAddress, keyAddress, providerAddress } from '../../../../actors/terms/ids.ts';
import { parseUsd } from '../../../../actors/terms/usd.ts';
import { ConfigError } from '../../config/config-error.ts';
import { kindOfId } from '../../find-address.ts';

/** `acct_1` or `account:acct_1` -> `acct_1`. @throws ConfigError */
export function ownerFrom(text: string): string {
  const parsed = parseAddress(text.includes(':') ? text : accountAddress(text));
  if (parsed?.kind === 'account' && parsed.local === null) return parsed.owner;
  throw new ConfigError(`"${text}" is not an account; write acct_... as \`troupe accounts create\` printed it`);
}

/** An argument or option that names an account. */
export const owner = (meaning: string) => ({ meaning, parse: ownerFrom });

/** An option that is a whole number above zero. */
export const count = (meaning: string, what: string) => ({ meaning, parse: (text: string) => countFrom(text, what) });

const REASON_CHARACTERS_MAX = 500;

/** The `--reason` of a change; required, unless what is made says enough by itself. */
export function reason(meaning: string): { meaning: string; parse: typeof reasonFrom; required: true };
export function reason(meaning: string, usual: string): { meaning: string; parse: typeof reasonFrom; default: string };
export function reason(meaning: string, usual?: string) {
  return { meaning, parse: reasonFrom, ...(usual === undefined ? { required: true } : { default: usual }) };
}

/** @throws ConfigError */
export function reasonFrom(text: string): string {
  const trimmed = text.trim();
  if (trimmed !== '' && trimmed.length <= REASON_CHARACTERS_MAX) return trimmed;
  throw new ConfigError(`--reason must have 1 to ${REASON_CHARACTERS_MAX} characters`);
}

const PERSON = /^[\p{L}\p{N}][\p{L}\p{N} .@_-]{0,63}$/u;

/** The person of `--approved-by`. @throws ConfigError */
export function approverFrom(text: string): string {
  const name = text.trim();
  if (PERSON.test(name)) return name;
  throw new ConfigError('--approved-by must be a name of at most 64 letters, digits, blanks and . @ _ -');
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

/** `ep_1` or `endpoint:ep_1` -> `ep_1`. @throws ConfigError */
export function endpointFrom(text: string): string {
  const address = endpointAddress(text.replace(/^endpoint:/, ''));
  if (/^endpoint:ep_[^/]+$/.test(address) && parseAddress(address)) return address.slice('endpoint:'.length);
  throw new ConfigError(`"${text}" is not an endpoint; write ep_... as \`troupe endpoints list\` prints it`);
}

/** `alpha` or `provider:alpha` -> `alpha`. @throws ConfigError */
export function providerFrom(text: string): string {
  const address = providerAddress(text.replace(/^provider:/, ''));
  if (/^provider:[a-z0-9-]+$/.test(address)) return address.slice('provider:'.length);
  throw new ConfigError(`"${text}" is not a provider; write its slug as \`troupe providers list\` prints it`);
}

/** The argument of commands that take the address of any actor. */
export const NAMED = {
  meaning: 'kind:owner or kind:owner/local, or an id such as batch_... alone',
  parse: nameFrom,
} as const;

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
