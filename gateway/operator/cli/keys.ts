/**
 * `troupe keys`: creates, changes and lists API keys. A key's text is generated here, printed once, and never stored.
 */
import type { Command } from 'commander';
import type { NewKey } from '../../../actors/key/changes.ts';
import type { Credential } from '../../../actors/key/credential.ts';
import { changeKey, createKey, type KeyCreated, limitKey, showKey } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import { systemRandom } from '../../../actors/runtime/index.ts';
import { keyAddress, keyDigest, keyHandle, keyId, keyText, maskKey } from '../../../actors/terms/ids.ts';
import type { KeyKind } from '../../../actors/terms/principal.ts';
import { askEach, isQuarantined } from '../ask-each.ts';
import { ConfigError } from '../config/config-error.ts';
import { readPepper } from '../config/secrets.ts';
import { COMMAND_LINE } from './command-line.ts';
import { findCluster } from './find-cluster.ts';
import type { GlobalOptions } from './global-options.ts';
import { addKeyApproval } from './key-approval.ts';
import { addKeyChanges } from './key-changes.ts';
import { accountFrom, amountFrom, countFrom, keyFrom, timeFrom } from './names.ts';
import { pairs, print, table, timeOf } from './print.ts';
import { ASK_MS, requireAccount, type Session, withSession } from './session.ts';

export interface CreateOptions extends GlobalOptions {
  readonly name: string;
  readonly limit?: string;
  readonly window?: string;
  readonly expires?: string;
  readonly perMinute?: string;
  readonly management?: boolean;
}

const WINDOWS = ['daily', 'weekly', 'monthly'] as const;
const LIST_MAX = 1_000;

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('create, limit, disable, revoke and list API keys');
  keys
    .command('create')
    .argument('<account>', 'the account that pays')
    .option('--name <name>', 'a display name', '')
    .option('--limit <usd>', 'the most that the key may spend')
    .option('--window <window>', `the limit resets: ${WINDOWS.join(', ')} (UTC; default: never)`)
    .option('--expires <time>', 'when the key expires, such as 2030-01-31T00:00:00Z')
    .option('--per-minute <count>', 'requests per minute (default: as configured)')
    .option('--management', 'a management key: it manages keys and cannot spend')
    .description('create a key; its text is shown only once')
    .action(async (account: string, _: unknown, command: Command) =>
      create(account, command.optsWithGlobals<CreateOptions>()),
    );
  addChange(keys, 'revoke', 'revoke a key for good');
  addChange(keys, 'disable', 'refuse every request with a key until it is enabled');
  addChange(keys, 'enable', 'let a disabled key send requests again');
  keys
    .command('limit')
    .argument('<key>', 'the key, as key_... or acct_.../key_...')
    .argument('<usd>', 'the most that the key may spend, or none')
    .option('--window <window>', `the limit resets: ${WINDOWS.join(', ')} (UTC; default: never)`)
    .description('change the limit of a key')
    .action(async (key: string, usd: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly window?: string }>();
      const address = await keyFrom(key, options);
      const limit = usd === 'none' ? null : amountFrom(usd);
      const limitWindow = windowFrom({ window: options.window, limit: limit ?? undefined });
      const view = await withSession(options, ({ cluster }) =>
        limitKey(cluster, address, { limit, limitWindow }, ASK_MS, COMMAND_LINE),
      );
      print(options, view, () => renderKeys([view]));
    });
  addKeyChanges(keys);
  addKeyApproval(keys);
  keys
    .command('list')
    .argument('<account>', 'the account')
    .description(`list the keys of an account with limit and spend, newest first, at most ${LIST_MAX}`)
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = accountFrom(account);
      const found = await withSession(options, (session) => listKeysOf(session, address));
      print(options, found, () => renderKeys(found));
    });
}

function addChange(keys: Command, change: 'revoke' | 'disable' | 'enable', description: string): void {
  keys
    .command(change)
    .argument('<key>', 'the key, as key_... or acct_.../key_...')
    .description(description)
    .action(async (key: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = await keyFrom(key, options);
      const view = await withSession(options, ({ cluster }) =>
        changeKey(cluster, address, change, ASK_MS, COMMAND_LINE),
      );
      if (view.status === 'revoked' && change !== 'revoke') {
        throw new ConfigError(`${shortKey(address)} is revoked for good; \`troupe keys create\` makes another key`);
      }
      print(options, view, () => pairs({ key: shortKey(view.key), label: view.label, status: view.status }));
    });
}

/** What is known of a key whose state does not load. */
export type QuarantinedKey = Pick<KeyView, 'key' | 'label' | 'name' | 'kind' | 'createdAt' | 'expiresAt'> & {
  readonly status: 'quarantined';
  readonly fault: string;
};

/** The keys of an account, newest first. `account` is an address. */
export async function listKeysOf(
  { operator, cluster }: Session,
  account: string,
): Promise<readonly (KeyView | QuarantinedKey)[]> {
  const where = { column: 0, equals: account } as const;
  const rows = await operator.rows({ collection: 'credential', where, order: 'descending', limit: LIST_MAX });
  // An account without keys exists; an unknown one is an error.
  if (rows.length === 0) await requireAccount({ cluster }, account);
  const credentials = new Map(rows.map(({ address, body }) => [address, JSON.parse(body) as Credential]));
  const answers = await askEach([...credentials.keys()], (key) => showKey(cluster, key, ASK_MS));
  return answers.map((one) => {
    if (!isQuarantined(one)) return one;
    const { key, label, name, kind, createdAt, expiresAt } = credentials.get(one.address) as Credential;
    return { key, label, name, kind, createdAt, expiresAt, status: 'quarantined', fault: one.fault };
  });
}

export function renderKeys(found: readonly (KeyView | QuarantinedKey)[]): string {
  const rows = found.map((key) => [
    shortKey(key.key),
    key.label,
    key.kind,
    key.status,
    ...('fault' in key ? ['-', '-', '-'] : [limitOf(key), key.usage, key.limitRemaining ?? '-']),
    timeOf(key.createdAt) ?? '',
    timeOf(key.expiresAt) ?? 'never',
    key.name,
  ]);
  const money = ['LIMIT USD', 'SPENT USD', 'LEFT USD'];
  return table(['KEY', 'LABEL', 'KIND', 'STATUS', ...money, 'CREATED', 'EXPIRES', 'NAME'], rows);
}

function limitOf({ limit, limitWindow }: KeyView): string {
  if (limit === null) return 'none';
  return limitWindow === null ? limit : `${limit} ${limitWindow}`;
}

async function create(account: string, options: CreateOptions): Promise<void> {
  const owner = accountFrom(account);
  const kind = options.management ? 'management' : 'inference';
  const created = await withSession(options, (session) => createKeyOf(session, owner, options, kind));
  print(options, created, () => renderCreated(created));
}

export interface CreatedKey extends KeyCreated {
  /** Without its account: `key_...`. */
  readonly id: string;
  readonly kind: KeyKind;
  /** The text of the key: shown once, and not stored. */
  readonly secret: string;
}

/** Creates a key of an account. `account` is an address. */
export async function createKeyOf(
  { cluster }: Session,
  account: string,
  options: CreateOptions,
  kind: KeyKind,
): Promise<CreatedKey> {
  const id = keyId(systemRandom);
  const address = keyAddress(account.slice('account:'.length), id);
  const secret = keyText(systemRandom);
  const made = { ...newKey(secret, await readPepper((await findCluster(options)).data), options), kind };
  return { id, ...(await createKey(cluster, address, made, ASK_MS)), kind, secret };
}

export function renderCreated({ key, kind, secret }: CreatedKey): string {
  const shown = pairs({ key: shortKey(key), kind, secret });
  return [shown, '', 'Save the secret: it is not stored and cannot be shown again.'].join('\n');
}

function newKey(text: string, pepper: Uint8Array, options: CreateOptions): Omit<NewKey, 'kind'> {
  return {
    digest: keyDigest(pepper, text),
    handle: keyHandle(text),
    label: maskKey(text),
    name: options.name,
    limit: options.limit === undefined ? null : amountFrom(options.limit),
    limitWindow: windowFrom({ window: options.window, limit: options.limit }),
    expiresAt: options.expires === undefined ? null : timeFrom(options.expires),
    perMinute: options.perMinute === undefined ? null : countFrom(options.perMinute, 'number of requests'),
    by: COMMAND_LINE,
  };
}

function windowFrom({
  window,
  limit,
}: {
  readonly window: string | undefined;
  readonly limit: string | undefined;
}): NewKey['limitWindow'] {
  if (window === undefined) return null;
  const known = WINDOWS.find((one) => one === window);
  if (!known) throw new ConfigError(`"${window}" is not a window; write one of ${WINDOWS.join(', ')}`);
  if (limit === undefined) throw new ConfigError('--window needs --limit: it sets when the limit resets');
  return known;
}

function shortKey(address: string): string {
  return address.replace(/^key:/, '');
}
