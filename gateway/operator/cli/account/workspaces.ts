/** `troupe workspaces`: creates, changes, deletes and lists the workspaces of an account. */
import { isWorkspaceId, workspaceAddress } from '../../../../actors/terms/ids.ts';
import { BUDGET_INTERVALS, type WorkspaceRecord } from '../../../../actors/terms/workspace.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command, route } from '../frame/asking.ts';
import { type Given, group } from '../frame/command.ts';
import { owner, ownerFrom, reason } from '../frame/names.ts';
import type { OperatorApi } from '../frame/operator-api.ts';
import { pairs, table, timeOf } from '../frame/print.ts';

const ACCOUNT = { '<account>': owner('the account') } as const;
const WORKSPACE = { '<workspace>': { meaning: 'as ws_... or acct_.../ws_...', parse: nameFrom } } as const;
const MEMBER = { ...WORKSPACE, '<user>': 'the id of the person' } as const;
const SETTINGS = {
  '--slug <slug>': 'names it in paths beside its id: lower case words, digits and single hyphens',
  '--description <text>': 'what it is for, or none',
  '--zdr <yes or no>': 'only endpoints vetted for zero data retention',
  '--partition <model or none>': 'how the endpoints of several models are tried',
  '--allow <providers>': 'only these, separated by commas, or all',
  '--ignore <providers>': 'never these, separated by commas, or none',
} as const;

const WHY = { '--reason <text>': reason('why, for the record') } as const;

interface Changed {
  readonly workspace: WorkspaceRecord;
}

/** The workspace after a change. `of` is the change below the workspace. */
async function changed(api: OperatorApi, workspace: string, of: string, body: object): Promise<WorkspaceRecord> {
  return (await api.post<Changed>(route`/api/workspaces/${workspace}` + of, body)).workspace;
}

export const commands = [
  group('workspaces', 'create, change, delete and list workspaces', [
    command('list', 'list the workspaces of an account, the default one first', {
      arguments: ACCOUNT,
      ask: async ({ account }, api) =>
        (await api.get<{ data: readonly WorkspaceRecord[] }>(route`/api/accounts/${account}/workspaces`)).data,
      print: render,
    }),

    command('create', 'create a workspace; what the options leave out is as configured', {
      arguments: { ...ACCOUNT, '<name>': 'its name' },
      options: { ...SETTINGS, '--reason <text>': reason('why, for the record', 'a new workspace') },
      ask: async ({ account, name, reason: why, ...options }, api) => {
        const workspace = { ...settingsOf(options), name };
        const body = { workspace, reason: why };
        return (await api.post<Changed>(route`/api/accounts/${account}/workspaces`, body)).workspace;
      },
      print: (made) => render([made]),
    }),

    command('set', 'change what the keys of a workspace are routed by', {
      arguments: WORKSPACE,
      options: { ...SETTINGS, '--name <name>': 'a new name', ...WHY },
      ask: ({ workspace, name = null, reason: why, ...options }, api) =>
        changed(api, workspace, '', { change: { ...settingsOf(options), name }, reason: why }),
      print: (after) => render([after]),
    }),

    command('add-member', 'add a member, or change the role of one', {
      arguments: MEMBER,
      options: { '--admin': 'with the role admin (default: member)', ...WHY },
      ask: ({ workspace, user, admin, reason: why }, api) => {
        const members = { user_ids: [user], role: admin ? 'admin' : 'member' };
        return changed(api, workspace, '/members/add', { members, reason: why });
      },
      print: (after) => render([after]),
    }),

    command('remove-member', 'remove a member', {
      arguments: MEMBER,
      options: WHY,
      ask: ({ workspace, user, reason: why }, api) =>
        changed(api, workspace, '/members/remove', { members: { user_ids: [user] }, reason: why }),
      print: (after) => render([after]),
    }),

    command('budget', 'set or remove a budget of a workspace', {
      arguments: {
        ...WORKSPACE,
        '<interval>': BUDGET_INTERVALS.join(', '),
        '<usd>': 'the most that its keys may spend in the interval, or none',
      },
      options: WHY,
      ask: ({ workspace, interval, usd, reason: why }, api) =>
        changed(api, workspace, '/budget', { interval, usd: usd === 'none' ? null : usd, reason: why }),
      print: (after) => render([after]),
    }),

    command('show', 'show a workspace with its members and budgets', {
      arguments: WORKSPACE,
      ask: ({ workspace }, api) => api.get<WorkspaceRecord>(route`/api/workspaces/${workspace}`),
      print: renderOne,
    }),

    command('delete', 'delete a workspace without keys', {
      arguments: WORKSPACE,
      options: WHY,
      ask: async ({ workspace, reason: why }, api) => {
        await changed(api, workspace, '/delete', { reason: why });
        return { deleted: true };
      },
      print: (_, { workspace }) => `deleted ${workspace}`,
    }),
  ]),
];

/** The members of a workspace that the options name. */
function settingsOf({ zdr, partition, allow, ignore, slug, description }: Given<unknown, typeof SETTINGS>): object {
  return {
    ...(slug === undefined ? {} : { slug }),
    ...(description === undefined ? {} : { description: description === 'none' ? null : description }),
    ...(zdr === undefined ? {} : { zdr: FLAGS.get(zdr) ?? zdr }),
    ...(partition === undefined ? {} : { partition }),
    ...(allow === undefined ? {} : { allowed_providers: allow === 'all' ? null : allow.split(',') }),
    ...(ignore === undefined ? {} : { ignored_providers: ignore === 'none' ? [] : ignore.split(',') }),
  };
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['no', false],
]);

function renderOne(one: WorkspaceRecord): string {
  return pairs({
    workspace: addressOf(one),
    name: one.name,
    slug: one.slug,
    description: one.description,
    zdr: one.zeroRetention ? 'yes' : 'no',
    partition: one.partition,
    allowed: one.allowed?.join(',') ?? 'all',
    ignored: one.ignored.join(',') || 'none',
    members: one.members.map(({ user, role }) => `${user} (${role})`).join(', ') || 'none',
    budgets: budgetsOf(one),
    created: timeOf(one.createdAt),
    changed: timeOf(one.updatedAt),
  });
}

function addressOf({ account, id }: WorkspaceRecord): string {
  return workspaceAddress(account, id).slice('workspace:'.length);
}

function budgetsOf({ budgets }: WorkspaceRecord): string {
  return budgets.map(({ interval, limit }) => `${limit} ${interval}`).join(', ') || 'none';
}

function render(found: readonly WorkspaceRecord[]): string {
  const rows = found.map((one) => [
    addressOf(one),
    one.name,
    one.isDefault ? '-' : one.keys,
    one.zeroRetention ? 'yes' : 'no',
    one.allowed?.join(',') ?? 'all',
    one.ignored.join(',') || 'none',
    budgetsOf(one),
    timeOf(one.createdAt),
  ]);
  return table(['WORKSPACE', 'NAME', 'KEYS', 'ZDR', 'ALLOWED', 'IGNORED', 'BUDGET USD', 'CREATED'], rows);
}

/** `ws_...` or `acct_1/ws_...` @throws ConfigError */
function nameFrom(text: string): string {
  const [account = '', id = ''] = text.replace(/^workspace:/, '').split('/');
  if (isWorkspaceId(text)) return text;
  if (!isWorkspaceId(id)) {
    throw new ConfigError(
      `"${text}" is not a workspace; write ws_... or acct_.../ws_... as \`troupe workspaces list\` prints it`,
    );
  }
  ownerFrom(account);
  return text;
}
