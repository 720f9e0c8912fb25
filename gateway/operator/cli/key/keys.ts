/** `troupe keys`: creates, changes and lists API keys. A key's text is printed once, and never stored. */
import type { KeyView } from '../../../../actors/key/statement.ts';
import { defaultWorkspaceId, LEGACY_KEY_PREFIX } from '../../../../actors/terms/ids.ts';
import { approveKey } from '../../../management/approvals.ts';
import { changeKeyOf, findKey, importKeyByHandle, type KeyName, makeKey, revokeKey } from '../../../management/keys.ts';
import { type ListedKey, listKeys } from '../../../management/list-keys.ts';
import type { ManagementServices, Tenant } from '../../../management/services.ts';
import { isQuarantined } from '../../../management/services.ts';
import { command } from '../frame/asking.ts';
import { type AddCommand, type Given, group, type Meanings } from '../frame/command.ts';
import { addressIn, count, keyNameFrom, type Owner, owner, ownerFrom, timeFrom } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';
import { requireAccount, type Session, withDefaults } from '../frame/session.ts';

const LIST_MAX = 1_000;
const PAYER = { '<account>': owner('the account that pays') } as const;
const KEY = { '<key>': { meaning: 'the key, as key_... or acct_.../key_...', parse: keyNameFrom } } as const;
const LIMIT = { '--limit <usd>': 'the most that the key may spend' } as const;
const WINDOW = { '--window <window>': 'the limit resets: daily, weekly, monthly (UTC; default: never)' } as const;
const NAME = { '--name <name>': { meaning: 'a display name', default: 'unnamed' } } as const;
const BOUNDS = {
  '--expires <time>': { meaning: 'when the key expires, such as 2030-01-31T00:00:00Z', parse: inUtc },
  '--per-minute <count>': count('requests per minute (default: as configured)', 'number of requests'),
} as const;

/** The options of a key that spends nothing. */
export const KEY_OPTIONS = { ...NAME, ...BOUNDS } as const;

const limit = onKey('limit', 'change the limit of a key', {
  arguments: { '<usd>': 'the most that the key may spend, or none' },
  options: WINDOW,
  edit: ({ usd, window }) => ({ limit: usd === 'none' ? null : usd, limit_reset: window ?? null }),
  print: (view) => renderKeys([view]),
});

const disable = onKey('disable', 'refuse every request with a key until it is enabled', {
  edit: () => ({ disabled: true }),
  print: renderStatus,
});

export const commands = [
  group('keys', 'create, limit, disable, revoke and list API keys', [
    command('create', 'create a key; its text is shown only once', {
      arguments: PAYER,
      options: {
        ...NAME,
        ...LIMIT,
        ...WINDOW,
        ...BOUNDS,
        '--management': 'a management key: it manages keys and cannot spend',
      },
      ask: ({ account, management, ...options }, { services }) =>
        createKeyOf(services, account, newKey(options, management ? 'management' : 'inference')),
      print: renderMade,
    }),
    limit,

    onKey('rename', 'rename a key', {
      arguments: { '<name>': 'the new display name' },
      edit: ({ name }) => ({ name }),
    }),

    onKey('expire', 'set when a key expires', {
      arguments: {
        '<time>': {
          meaning: 'such as 2030-01-31T00:00:00Z, or never',
          parse: (time: string) => (time === 'never' ? null : inUtc(time)),
        },
      },
      edit: ({ time }) => ({ expires_at: time }),
    }),

    onKey('assign', 'assign a key', {
      arguments: { '<member>': "a member of the key's workspace, or nobody" },
      edit: ({ member }) => ({ creator_user_id: member === 'nobody' ? null : member }),
    }),

    onKey('move', 'move a key to another workspace of its account', {
      arguments: { '<workspace>': 'the id of the workspace, ws_..., or default' },
      edit: ({ workspace }, { account }) => ({
        workspace_id: workspace === 'default' ? defaultWorkspaceId(account) : workspace,
      }),
    }),
    disable,

    onKey('enable', 'let a disabled key send requests again', {
      edit: () => ({ disabled: false }),
      print: renderStatus,
    }),

    onKey('revoke', 'revoke a key for good', {
      run: revokeKey,
      print: renderStatus,
    }),

    onKey('show', 'show a key: its handle, limit, spend, workspace and member', {
      run: findKey,
    }),

    command(
      'import',
      `import a key that starts with ${LEGACY_KEY_PREFIX} by its digest; repeating the command has no effect`,
      {
        arguments: { ...PAYER, '<sha256>': 'the SHA-256 of the whole text of the key, 64 hex digits' },
        options: { '--name <name>': { meaning: 'a display name', default: 'imported' } },
        ask: ({ account, sha256: handle, name }, { services }) =>
          importKeyByHandle(services, account, { handle, name }),
        print: renderKey,
      },
    ),

    /** Approves a key for an application, as `/auth/keys/code` does. */
    command('approve', 'approve a key for an application: prints the one-time code that it trades for the key', {
      arguments: {
        ...PAYER,
        '<callback>': 'the address of the application: https, or http on localhost',
        '<challenge>': "the S256 challenge of the application's verifier, 43 characters",
      },
      options: LIMIT,
      ask: async ({ account, callback, challenge, limit: usd = null }, session) => {
        await requireAccount(session, account.address);
        const input = { callback_url: callback, code_challenge: challenge, limit: usd };
        const { code, origin, limit: most, expiresAt } = await approveKey(await withDefaults(session), account, input);
        return { code, origin, limit: most, expires_at: timeOf(expiresAt) };
      },
      print: ({ code, origin: application, limit: most, expires_at: expires }) =>
        pairs({ code, application, limit: most === null ? 'none' : `${most} USD`, expires }),
    }),

    command('list', `list the keys of an account with limit and spend, newest first, at most ${LIST_MAX}`, {
      arguments: { '<account>': owner('the account') },
      ask: ({ account }, session) => keysOf(session, account),
      print: renderKeys,
    }),
  ]),
];

type OfKey = (services: ManagementServices, tenant: Tenant, name: KeyName) => Promise<KeyView>;

interface KeyCommand<A extends Meanings, O extends Meanings> {
  /** Beside the key. */
  readonly arguments?: A;
  readonly options?: O;
  /** The members that the command sets. */
  readonly edit?: (given: Given<A, O>, tenant: Tenant) => object;
  /** Of a command that sets none. */
  readonly run?: OfKey;
  readonly print?: (view: KeyView) => string;
}

/** A command on one key, which may be named by its id alone. */
function onKey<const A extends Meanings, const O extends Meanings>(
  name: string,
  description: string,
  { arguments: own, options, edit, run, print = renderKey }: KeyCommand<A, O>,
): AddCommand {
  const change = (given: Given<A, O>): OfKey => {
    if (run !== undefined) return run;
    return (services, tenant, of) => changeKeyOf(services, tenant, { name: of, input: edit?.(given, tenant) });
  };
  return command(name, description, {
    arguments: { ...KEY, ...own },
    ...(options === undefined ? {} : { options }),
    ask: async (given, session) => {
      const { key } = given as Given<typeof KEY, unknown>;
      const [account = '', id = ''] = (await addressIn(session, key)).slice('key:'.length).split('/');
      return change(given as Given<A, O>)(session.services, ownerFrom(account), { id });
    },
    print,
  });
}

/** The members of a new key. */
export function newKey(options: NewKeyOptions, kind: KeyView['kind']): object {
  const { name, limit: usd = null, window = null, expires = null, perMinute = null } = options;
  return { name, kind, limit: usd, limit_reset: window, expires_at: expires, requests_per_minute: perMinute };
}

type NewKeyOptions = Given<unknown, typeof KEY_OPTIONS> & Partial<Given<unknown, typeof LIMIT & typeof WINDOW>>;

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

/** Of a key that was just made. */
export function renderMade({ key, kind, secret }: CreatedKey): string {
  const made = pairs({ key: shortKey(key), kind, secret });
  return `${made}\n\nSave the secret: it is not stored and cannot be shown again.`;
}

/** The keys of an account, newest first. */
export async function keysOf(session: Session, account: Owner): Promise<readonly ShownKey[]> {
  const page = { offset: 0, limit: LIST_MAX, includesDisabled: true, includesRevoked: true } as const;
  const listed = await listKeys(session.services, account, { ...page, kind: 'all', workspace: null });
  // An account without keys exists; an unknown one is an error.
  if (listed.length === 0) await requireAccount(session, account.address);
  return listed.map(shown);
}

/** What is known of a key whose state does not load. */
type QuarantinedKey = Pick<KeyView, 'key' | 'label' | 'name' | 'kind' | 'createdAt' | 'expiresAt'> & {
  readonly status: 'quarantined';
  readonly fault: string;
};
type ShownKey = KeyView | QuarantinedKey;

function shown({ credential, state }: ListedKey): ShownKey {
  if (!isQuarantined(state)) return state;
  const { key, label, name, kind, createdAt, expiresAt } = credential;
  return { key, label, name, kind, createdAt, expiresAt, status: 'quarantined', fault: state.fault };
}

export function renderKeys(found: readonly ShownKey[]): string {
  const rows = found.map((key) => [
    shortKey(key.key),
    key.label,
    key.kind,
    key.status,
    ...('fault' in key ? ['-', '-', '-'] : [limitOf(key) ?? 'none', key.usage, key.limitRemaining ?? '-']),
    timeOf(key.createdAt),
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
