import { type TSchema, Type } from 'typebox';
import { oneOf } from '../../dialects/request/members.ts';
import type { Operation, Parameter } from '../wire/operation.ts';

const value = (name: string, schema: TSchema = Type.String(), description?: string): Parameter => ({
  name,
  schema,
  ...(description === undefined ? {} : { description }),
});
const offset = value('offset', Type.Integer({ minimum: 0 }));
const keyFilters: readonly Parameter[] = [
  offset,
  value('include_disabled', Type.Boolean()),
  value('include_revoked', Type.Boolean()),
  value('kind', oneOf('inference', 'management', 'provider', 'all')),
  value('workspace_id', Type.String(), 'Id or slug of a workspace.'),
];
const managed = (operation: Omit<Operation, 'key'>): Operation => ({ ...operation, key: true });
const named = '/workspaces/{id}';

/** The routes of management keys, as the published document shows them. */
export const MANAGEMENT_OPERATIONS: readonly Operation[] = [
  managed({
    ...{ method: 'get', path: '/keys', summary: 'The keys of the account, newest first, 100 a page' },
    ...{ query: keyFilters, reply: 'KeyList' },
  }),
  managed({
    ...{ method: 'post', path: '/keys', summary: 'Creates an inference key; its text is shown only here' },
    ...{ body: 'KeyCreate', reply: 'KeyCreated', status: 201 },
  }),
  managed({
    ...{ method: 'post', path: '/keys/import', summary: 'Adds a key that was issued before the prefix change' },
    ...{ body: 'KeyImport', reply: 'KeyCreated', status: 201 },
  }),
  managed({ method: 'get', path: '/keys/{hash}', summary: 'One key', reply: 'Key' }),
  managed({
    ...{
      method: 'patch',
      path: '/keys/{hash}',
      summary: 'Changes a key: name, limit, window, expiry, workspace, member',
    },
    ...{ body: 'KeyEdit', reply: 'Key' },
  }),
  managed({ method: 'delete', path: '/keys/{hash}', summary: 'Revokes a key for good', reply: 'Deleted' }),
  managed({
    ...{ method: 'get', path: '/workspaces', summary: 'The workspaces of the account, the default one first' },
    ...{ query: [offset, value('limit', Type.Integer({ minimum: 1, maximum: 100 }))], reply: 'WorkspaceList' },
  }),
  managed({
    ...{ method: 'post', path: '/workspaces', summary: 'Creates a workspace' },
    ...{ body: 'WorkspaceCreate', reply: 'Workspace', status: 201 },
  }),
  managed({ method: 'get', path: named, summary: 'One workspace, by id or slug', reply: 'Workspace' }),
  managed({
    ...{ method: 'patch', path: named, summary: 'Changes a workspace' },
    ...{ body: 'WorkspaceEdit', reply: 'Workspace' },
  }),
  managed({ method: 'delete', path: named, summary: 'Deletes a workspace without keys', reply: 'Deleted' }),
  managed({ method: 'get', path: `${named}/members`, summary: 'Members of a workspace', reply: 'MemberList' }),
  managed({
    ...{ method: 'post', path: `${named}/members/add`, summary: 'Adds members, or changes their role' },
    ...{ body: 'MembersAdd', reply: 'MembersAdded' },
  }),
  managed({
    ...{ method: 'post', path: `${named}/members/remove`, summary: 'Removes members without keys' },
    ...{ body: 'MembersRemove', reply: 'MembersRemoved' },
  }),
  managed({ method: 'get', path: `${named}/budgets`, summary: 'Budgets of a workspace', reply: 'BudgetList' }),
  managed({ method: 'get', path: `${named}/budgets/{interval}`, summary: 'One budget', reply: 'Budget' }),
  managed({
    ...{
      method: 'put',
      path: `${named}/budgets/{interval}`,
      summary: 'Sets a budget: daily, weekly, monthly, lifetime',
    },
    ...{ body: 'BudgetSet', reply: 'Budget' },
  }),
  managed({ method: 'delete', path: `${named}/budgets/{interval}`, summary: 'Removes a budget', reply: 'Deleted' }),
  managed({
    ...{
      method: 'post',
      path: '/auth/keys/code',
      summary: 'Approves a key for an application, as the page `/auth` does: answers its one-time code',
    },
    ...{ body: 'CodeRequest', reply: 'CodeIssued' },
  }),
  managed({ method: 'get', path: '/sessions', summary: 'The browsers signed in to the account', reply: 'SessionList' }),
  managed({ method: 'delete', path: '/sessions', summary: 'Signs every browser out', reply: 'SessionsEnded' }),
  managed({ method: 'delete', path: '/sessions/{id}', summary: 'Signs one browser out', reply: 'Deleted' }),
];
