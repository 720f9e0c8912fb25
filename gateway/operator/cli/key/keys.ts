/** `troupe keys`: creates, changes and lists API keys. A key's text is printed once, and never stored. */
import type { KeyView } from '../../../../actors/key/statement.ts';
import { defaultWorkspaceId, LEGACY_KEY_PREFIX } from '../../../../actors/terms/ids.ts';
import type { CreatedKey, ShownKey } from '../../api/account/keys.ts';
import { command, route } from '../frame/asking.ts';
import { type AddCommand, type Given, group, type Meanings } from '../frame/command.ts';
import { count, keyNameFrom, owner, reason, timeFrom } from '../frame/names.ts';
import type { OperatorApi } from '../frame/operator-api.ts';
import { pairs, table, timeOf } from '../frame/print.ts';

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

const WHY = { '--reason <text>': reason('why, for the record') } as const;
const NEW = { '--reason <text>': reason('why, for the record', 'a new key') } as const;

/** The options of a key that spends nothing. */
export const KEY_OPTIONS = { ...NAME, ...BOUNDS, ...NEW } as const;

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
        ...NEW,
      },
      ask: ({ account, management, reason: why, ...options }, api) => {
        const key = newKey(options, management ? 'management' : 'inference');
        return createdKey(api, route`/api/accounts/${account}/keys`, { key, reason: why });
      },
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
      edit: async ({ workspace }, { shown }) => ({
        workspace_id: workspace === 'default' ? defaultWorkspaceId(accountOf(await shown())) : workspace,
      }),
    }),
    disable,

    onKey('enable', 'let a disabled key send requests again', {
      edit: () => ({ disabled: false }),
      print: renderStatus,
    }),

    command('revoke', 'revoke a key for good', {
      arguments: KEY,
      options: WHY,
      ask: async ({ key, reason: why }, api) =>
        (await api.post<Changed>(route`/api/keys/${key}/revoke`, { reason: why })).key,
      print: renderStatus,
    }),

    command('show', 'show a key: its handle, limit, spend, workspace and member', {
      arguments: KEY,
      ask: ({ key }, api) => api.get<KeyView>(route`/api/keys/${key}`),
      print: renderKey,
    }),

    command(
      'import',
      `import a key that starts with ${LEGACY_KEY_PREFIX} by its digest; repeating the command has no effect`,
      {
        arguments: { ...PAYER, '<sha256>': 'the SHA-256 of the whole text of the key, 64 hex digits' },
        options: { '--name <name>': { meaning: 'a display name', default: 'imported' }, ...NEW },
        ask: async ({ account, sha256, name, reason: why }, api) =>
          (await api.post<Changed>(route`/api/accounts/${account}/keys/import`, { sha256, name, reason: why })).key,
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
      options: { ...LIMIT, ...NEW },
      ask: async ({ account, callback, challenge, limit: usd = null, reason: why }, api) => {
        const approval = { callback_url: callback, code_challenge: challenge, limit: usd };
        const made = await api.post<Approved>(route`/api/accounts/${account}/approvals`, { approval, reason: why });
        const { code, origin, limit: most, expiresAt } = made;
        return { code, origin, limit: most, expires_at: timeOf(expiresAt) };
      },
      print: ({ code, origin: application, limit: most, expires_at: expires }) =>
        pairs({ code, application, limit: most === null ? 'none' : `${most} USD`, expires }),
    }),

    command('list', `list the keys of an account with limit and spend, newest first, at most ${LIST_MAX}`, {
      arguments: { '<account>': owner('the account') },
      ask: ({ account }, api) => keysOf(api, account),
      print: renderKeys,
    }),
  ]),
];

interface Approved {
  readonly code: string;
  readonly origin: string;
  readonly limit: string | null;
  readonly expiresAt: number;
}

interface Changed {
  readonly key: KeyView;
}

interface KeyCommand<A extends Meanings, O extends Meanings> {
  /** Beside the key. */
  readonly arguments?: A;
  readonly options?: O;
  /** The members that the command sets; `shown` reads the key as it is. */
  readonly edit: (given: Given<A, O>, of: { readonly shown: () => Promise<KeyView> }) => object | Promise<object>;
  readonly print?: (view: KeyView) => string;
}

/** A change of one key, which may be named by its id alone. */
function onKey<const A extends Meanings, const O extends Meanings>(
  name: string,
  description: string,
  { arguments: own, options, edit, print = renderKey }: KeyCommand<A, O>,
): AddCommand {
  return command(name, description, {
    arguments: { ...KEY, ...own },
    options: { ...options, ...WHY },
    ask: async (given, api) => {
      const { key, reason: why } = given as unknown as Given<typeof KEY, typeof WHY>;
      const path = route`/api/keys/${key}`;
      const change = await edit(given as unknown as Given<A, O>, { shown: () => api.get<KeyView>(path) });
      return (await api.post<Changed>(path, { change, reason: why })).key;
    },
    print,
  });
}

/** The members of a new key. */
export function newKey(options: NewKeyOptions, kind: KeyView['kind']): object {
  const { name, limit: usd = null, window = null, expires = null, perMinute = null } = options;
  return { name, kind, limit: usd, limit_reset: window, expires_at: expires, requests_per_minute: perMinute };
}

type NewKeyOptions = Given<unknown, typeof NAME & typeof BOUNDS> &
  Partial<Given<unknown, typeof LIMIT & typeof WINDOW>>;

/** A time of any zone, as keys take it. @throws ConfigError */
function inUtc(time: string): string {
  return new Date(timeFrom(time)).toISOString();
}

/** The key that a route has made. */
export async function createdKey(api: OperatorApi, path: string, body: object): Promise<CreatedKey> {
  return (await api.post<{ readonly key: CreatedKey }>(path, body)).key;
}

/** Of a key that was just made. */
export function renderMade({ key, kind, secret }: CreatedKey): string {
  const made = pairs({ key: shortKey(key), kind, secret });
  return `${made}\n\nSave the secret: it is not stored and cannot be shown again.`;
}

/** The keys of an account, newest first. */
export function keysOf(api: OperatorApi, account: string): Promise<readonly ShownKey[]> {
  return api.list<ShownKey>(route`/api/accounts/${account}/keys`, {}, LIST_MAX);
}

function accountOf({ key }: KeyView): string {
  return key.slice('key:'.length, key.indexOf('/'));
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
