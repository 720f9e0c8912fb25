/** `troupe workspaces`: creates, changes, deletes and lists the workspaces of an account. */
import { isWorkspaceId, workspaceAddress } from '../../../../actors/terms/ids.ts';
import { BUDGET_INTERVALS, type WorkspaceRecord } from '../../../../actors/terms/workspace.ts';
import type { ManagementServices, Tenant } from '../../../management/services.ts';
import { addMembersTo, putBudget, removeBudget, removeMembersFrom } from '../../../management/workspace-members.ts';
import {
  accountWorkspaces,
  editWorkspace,
  openWorkspace,
  removeWorkspace,
  requireWorkspace,
} from '../../../management/workspaces.ts';
import { ConfigError } from '../../config/config-error.ts';
import { command } from '../frame/asking.ts';
import { type Given, group } from '../frame/command.ts';
import { addressIn, owner, ownerFrom } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';
import { type Session, withDefaults } from '../frame/session.ts';

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

/** A workspace of an account, with the running configuration. */
interface Named {
  readonly services: ManagementServices;
  readonly tenant: Tenant;
  readonly name: string;
}

export const commands = [
  group('workspaces', 'create, change, delete and list workspaces', [
    command('list', 'list the workspaces of an account, the default one first', {
      arguments: ACCOUNT,
      ask: async ({ account: { account } }, session) => accountWorkspaces(await withDefaults(session), account),
      print: render,
    }),

    command('create', 'create a workspace; what the options leave out is as configured', {
      arguments: { ...ACCOUNT, '<name>': 'its name' },
      options: SETTINGS,
      ask: async ({ account, name, ...options }, session) =>
        openWorkspace(await withDefaults(session), account, { ...settingsOf(options), name }),
      print: (made) => render([made]),
    }),

    command('set', 'change what the keys of a workspace are routed by', {
      arguments: WORKSPACE,
      options: { ...SETTINGS, '--name <name>': 'a new name' },
      ask: async ({ workspace, name: newName = null, ...options }, session) => {
        const { services, tenant, name } = await named(workspace, session);
        return editWorkspace(services, tenant, { name, input: { ...settingsOf(options), name: newName } });
      },
      print: (after) => render([after]),
    }),

    command('add-member', 'add a member, or change the role of one', {
      arguments: MEMBER,
      options: { '--admin': 'with the role admin (default: member)' },
      ask: async ({ workspace, user, admin }, session) => {
        const { services, tenant, name } = await named(workspace, session);
        const input = { user_ids: [user], role: admin ? 'admin' : 'member' };
        return (await addMembersTo(services, tenant, { name, input })).after;
      },
      print: (after) => render([after]),
    }),

    command('remove-member', 'remove a member', {
      arguments: MEMBER,
      ask: async ({ workspace, user }, session) => {
        const { services, tenant, name } = await named(workspace, session);
        return (await removeMembersFrom(services, tenant, { name, input: { user_ids: [user] } })).after;
      },
      print: (after) => render([after]),
    }),

    command('budget', 'set or remove a budget of a workspace', {
      arguments: {
        ...WORKSPACE,
        '<interval>': BUDGET_INTERVALS.join(', '),
        '<usd>': 'the most that its keys may spend in the interval, or none',
      },
      ask: async ({ workspace, interval, usd }, session) => {
        const { services, tenant, name } = await named(workspace, session);
        return usd === 'none'
          ? removeBudget(services, tenant, { name, interval })
          : putBudget(services, tenant, { name, interval, input: { limit_usd: usd } });
      },
      print: (after) => render([after]),
    }),

    command('show', 'show a workspace with its members and budgets', {
      arguments: WORKSPACE,
      ask: async ({ workspace }, session) => {
        const { services, tenant, name } = await named(workspace, session);
        return requireWorkspace(services, tenant.account, name);
      },
      print: renderOne,
    }),

    command('delete', 'delete a workspace without keys', {
      arguments: WORKSPACE,
      ask: async ({ workspace }, session) => {
        const { services, tenant, name } = await named(workspace, session);
        await removeWorkspace(services, tenant, name);
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

async function named(text: string, session: Session): Promise<Named> {
  const address = isWorkspaceId(text) ? await addressIn(session, text) : text;
  const [account = '', name = ''] = address.replace(/^workspace:/, '').split('/');
  return { services: await withDefaults(session), tenant: ownerFrom(account), name };
}
