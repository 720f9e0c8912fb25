/** `troupe keys`: creates, changes and lists API keys. A key's text is printed once, and never stored. */
import type { Command } from 'commander';
import type { KeyView } from '../../../../actors/key/statement.ts';
import { defaultWorkspaceId, LEGACY_KEY_PREFIX } from '../../../../actors/terms/ids.ts';
import { isQuarantined } from '../../../management/ask-each.ts';
import { changeKeyOf, findKey, importKeyByHandle, type KeyName, makeKey, revokeKey } from '../../../management/keys.ts';
import { type ListedKey, listKeys } from '../../../management/list-keys.ts';
import type { ManagementServices, Tenant } from '../../../management/services.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom, countFrom, keyFrom, tenantFrom, timeFrom } from '../frame/names.ts';
import { pairs, print, table, timeOf } from '../frame/print.ts';
import { requireAccount, withManagement } from '../frame/session.ts';
import { addKeyApproval } from './key-approval.ts';

export interface CreateOptions extends GlobalOptions {
  readonly name: string;
  readonly limit?: string;
  readonly window?: string;
  readonly expires?: string;
  readonly perMinute?: string;
  readonly management?: boolean;
}

export const UNNAMED = 'unnamed';
const WINDOW = 'the limit resets: daily, weekly, monthly (UTC; default: never)';
const KEY = ['<key>', 'the key, as key_... or acct_.../key_...'] as const;
const LIST_MAX = 1_000;

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('create, limit, disable, revoke and list API keys');
  keys
    .command('create')
    .argument('<account>', 'the account that pays')
    .option('--name <name>', 'a display name', UNNAMED)
    .option('--limit <usd>', 'the most that the key may spend')
    .option('--window <window>', WINDOW)
    .option('--expires <time>', 'when the key expires, such as 2030-01-31T00:00:00Z')
    .option('--per-minute <count>', 'requests per minute (default: as configured)')
    .option('--management', 'a management key: it manages keys and cannot spend')
    .description('create a key; its text is shown only once')
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      const input = newKey(options, options.management ? 'management' : 'inference');
      const tenant = tenantFrom(account);
      print(options, ...shownMade(await withManagement(options, (services) => createKeyOf(services, tenant, input))));
    });
  addChanges(keys);
  keys
    .command('show')
    .argument(...KEY)
    .description('show a key: its handle, limit, spend, workspace and member')
    .action((key: string, _: unknown, command: Command) => onKey(key, command.optsWithGlobals(), findKey));
  keys
    .command('import')
    .argument('<account>', 'the account that pays')
    .argument('<sha256>', 'the SHA-256 of the whole text of the key, 64 hex digits')
    .option('--name <name>', 'a display name', 'imported')
    .description(
      `import a key that starts with ${LEGACY_KEY_PREFIX} by its digest; repeating the command has no effect`,
    )
    .action(async (account: string, handle: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly name: string }>();
      const imported = { handle, name: options.name };
      const tenant = tenantFrom(account);
      const view = await withManagement(options, (services) => importKeyByHandle(services, tenant, imported));
      print(options, view, () => renderKey(view));
    });
  addKeyApproval(keys);
  keys
    .command('list')
    .argument('<account>', 'the account')
    .description(`list the keys of an account with limit and spend, newest first, at most ${LIST_MAX}`)
    .action((account: string, _: unknown, command: Command) => printKeysOf(account, command.optsWithGlobals()));
}

function addChanges(keys: Command): void {
  keys
    .command('limit')
    .argument(...KEY)
    .argument('<usd>', 'the most that the key may spend, or none')
    .option('--window <window>', WINDOW)
    .description('change the limit of a key')
    .action((key: string, usd: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly window?: string }>();
      const input = { limit: usd === 'none' ? null : usd, limit_reset: options.window ?? null };
      return onKey(key, options, change(input), (view) => renderKeys([view]));
    });
  for (const edit of EDITS) addEdit(keys, edit);
  addSwitch(keys, 'disable', 'refuse every request with a key until it is enabled', true);
  addSwitch(keys, 'enable', 'let a disabled key send requests again', false);
  keys
    .command('revoke')
    .argument(...KEY)
    .description('revoke a key for good')
    .action((key: string, _: unknown, command: Command) =>
      onKey(key, command.optsWithGlobals(), revokeKey, renderStatus),
    );
}

/** A change by one argument. */
interface Edit {
  readonly name: string;
  readonly description: string;
  readonly argument: readonly [name: string, meaning: string];
  /** The member that changes; `account` is the key's. */
  readonly inputOf: (text: string, account: string) => object;
}

const EDITS: readonly Edit[] = [
  {
    name: 'rename',
    description: 'rename a key',
    argument: ['<name>', 'the new display name'],
    inputOf: (name) => ({ name }),
  },
  {
    name: 'expire',
    description: 'set when a key expires',
    argument: ['<time>', 'such as 2030-01-31T00:00:00Z, or never'],
    inputOf: (time) => ({ expires_at: time === 'never' ? null : inUtc(time) }),
  },
  {
    name: 'assign',
    description: 'assign a key',
    argument: ['<member>', "a member of the key's workspace, or nobody"],
    inputOf: (member) => ({ creator_user_id: member === 'nobody' ? null : member }),
  },
  {
    name: 'move',
    description: 'move a key to another workspace of its account',
    argument: ['<workspace>', 'the id of the workspace, ws_..., or default'],
    inputOf: (name, account) => ({ workspace_id: name === 'default' ? defaultWorkspaceId(account) : name }),
  },
];

function addEdit(keys: Command, { name, description, argument, inputOf }: Edit): void {
  keys
    .command(name)
    .argument(...KEY)
    .argument(...argument)
    .description(description)
    .action((key: string, text: string, _: unknown, command: Command) => {
      const run = change(({ account }) => inputOf(text, account));
      return onKey(key, command.optsWithGlobals(), run);
    });
}

function addSwitch(keys: Command, name: string, description: string, disabled: boolean): void {
  keys
    .command(name)
    .argument(...KEY)
    .description(description)
    .action((key: string, _: unknown, command: Command) =>
      onKey(key, command.optsWithGlobals(), change({ disabled }), renderStatus),
    );
}

type OfKey = (services: ManagementServices, tenant: Tenant, name: KeyName) => Promise<KeyView>;

function change(input: object | ((tenant: Tenant) => object)): OfKey {
  return (services, tenant, name) =>
    changeKeyOf(services, tenant, { name, input: typeof input === 'function' ? input(tenant) : input });
}

async function onKey(key: string, options: GlobalOptions, run: OfKey, render = renderKey): Promise<void> {
  const [owner = '', id = ''] = (await keyFrom(key, options)).slice('key:'.length).split('/');
  const view = await withManagement(options, (services) => run(services, tenantFrom(owner), { id }));
  print(options, view, () => render(view));
}

/** The members of a new key. @throws ConfigError */
export function newKey(options: CreateOptions, kind: KeyView['kind']): object {
  const { name, limit = null, window = null, expires, perMinute } = options;
  return {
    name,
    kind,
    limit,
    limit_reset: window,
    expires_at: expires === undefined ? null : inUtc(expires),
    requests_per_minute: perMinute === undefined ? null : countFrom(perMinute, 'number of requests'),
  };
}

/** A time of any zone, as keys take it. @throws ConfigError */
function inUtc(time: string): string {
  return new Date(timeFrom(time)).toISOString();
}

export interface CreatedKey extends Pick<KeyView, 'key' | 'label' | 'kind'> {
  readonly id: string;
  readonly created: true;
  /** The text of the key: shown once, and not stored. */
  readonly secret: string;
}

export async function createKeyOf(services: ManagementServices, tenant: Tenant, input: object): Promise<CreatedKey> {
  const { view, text } = await makeKey(services, tenant, input);
  const { key, label, kind } = view;
  return { id: key.slice(key.indexOf('/') + 1), key, label, created: true, kind, secret: text };
}

/** For `print`. */
export function shownMade(made: CreatedKey): [CreatedKey, () => string] {
  const { key, kind, secret } = made;
  const rest = ['', 'Save the secret: it is not stored and cannot be shown again.'];
  return [made, () => [pairs({ key: shortKey(key), kind, secret }), ...rest].join('\n')];
}

/** Prints the keys of an account, newest first. */
export async function printKeysOf(account: string, options: GlobalOptions): Promise<void> {
  const address = accountFrom(account);
  const page = { offset: 0, limit: LIST_MAX, includesDisabled: true, includesRevoked: true } as const;
  const found = await withManagement(options, async (services, session) => {
    const listed = await listKeys(services, tenantFrom(account), { ...page, kind: 'all', workspace: null });
    // An account without keys exists; an unknown one is an error.
    if (listed.length === 0) await requireAccount(session, address);
    return listed.map(shown);
  });
  print(options, found, () => renderKeys(found));
}

/** What is known of a key whose state does not load. */
type QuarantinedKey = Pick<KeyView, 'key' | 'label' | 'name' | 'kind' | 'createdAt' | 'expiresAt'> & {
  readonly status: 'quarantined';
  readonly fault: string;
};

function shown({ credential, state }: ListedKey): KeyView | QuarantinedKey {
  if (!isQuarantined(state)) return state;
  const { key, label, name, kind, createdAt, expiresAt } = credential;
  return { key, label, name, kind, createdAt, expiresAt, status: 'quarantined', fault: state.fault };
}

function renderKeys(found: readonly (KeyView | QuarantinedKey)[]): string {
  const rows = found.map((key) => [
    shortKey(key.key),
    key.label,
    key.kind,
    key.status,
    ...('fault' in key ? ['-', '-', '-'] : [limitOf(key) ?? 'none', key.usage, key.limitRemaining ?? '-']),
    timeOf(key.createdAt) ?? '',
    timeOf(key.expiresAt) ?? 'never',
    key.name,
  ]);
  const money = ['LIMIT USD', 'SPENT USD', 'LEFT USD'];
  return table(['KEY', 'LABEL', 'KIND', 'STATUS', ...money, 'CREATED', 'EXPIRES', 'NAME'], rows);
}

function renderStatus({ key, label, status }: KeyView): string {
  return pairs({ key: shortKey(key), label, status });
}

function renderKey(view: KeyView): string {
  const { key, handle, label, name, kind, status, limitRemaining, usage, workspace, member, origin } = view;
  return pairs({
    key: shortKey(key),
    handle,
    label,
    name,
    kind,
    status,
    limit: limitOf(view, ' USD') ?? 'none',
    left: limitRemaining === null ? null : `${limitRemaining} USD`,
    spent: `${usage} USD`,
    workspace: workspace ?? 'default',
    member,
    origin,
    created: timeOf(view.createdAt),
    changed: timeOf(view.updatedAt),
    expires: timeOf(view.expiresAt) ?? 'never',
  });
}

function limitOf({ limit, limitWindow }: KeyView, unit = ''): string | null {
  return limit === null ? null : `${limit}${unit}${limitWindow === null ? '' : ` ${limitWindow}`}`;
}

function shortKey(address: string): string {
  return address.replace(/^key:/, '');
}
