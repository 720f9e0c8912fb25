/**
 * A workspace as a chart: settings, members and budgets for the keys that belong to it. It judges no request: gateways
 * read its row for routing, and the account counts what it spends. Keys join and leave in the commit of their own change,
 * so a workspace with keys is never deleted.
 */
import { setup } from 'xstate';
import * as members from './members.ts';
import * as settings from './settings.ts';
import * as workspace from './workspace-state.ts';

const chart = setup({
  types: {} as {
    context: workspace.WorkspaceState;
    events: settings.SettingsEvent | members.MemberEvent;
    input: { address: string };
  },
  guards: { ...workspace.guards, ...settings.guards, ...members.guards },
  actions: { ...workspace.actions, ...settings.actions, ...members.actions },
});

export const workspaceMachine = chart.createMachine({
  id: 'workspace',
  initial: 'open',
  context: ({ input }) => ({ address: input.address, record: null }),
  options: { maxIterations: 1000 },
  states: {
    open: {
      on: {
        'workspace.create': [
          { guard: 'isNew', actions: ['create', 'putRow', 'reportOpened', 'recordChange', 'answer'] },
          { actions: 'answer' },
        ],
        'workspace.update': { actions: ['update', 'putRow', 'recordChange', 'answer'] },
        'workspace.members.add': [
          { guard: 'hasTooMany', actions: 'refuseTooMany' },
          { actions: ['addMembers', 'putRow', 'recordChange', 'answer'] },
        ],
        'workspace.members.remove': [
          { guard: 'hasBusyMember', actions: 'refuseRemoval' },
          { actions: ['removeMembers', 'putRow', 'recordChange', 'answer'] },
        ],
        'workspace.budget': { actions: ['setBudget', 'putRow', 'reportBudget', 'recordChange', 'answer'] },
        'workspace.delete': [
          { guard: 'isDefault', actions: 'refuseDefault' },
          { guard: 'isInUse', actions: 'refuseInUse' },
          { actions: ['recordChange', 'endWorkspace'] },
        ],
        'workspace.join': [{ guard: 'isStranger', actions: 'refuseStranger' }, { actions: ['joinKey', 'putRow'] }],
        'workspace.leave': { actions: ['leaveKey', 'putRow'] },
        'workspace.assign': [
          { guard: 'isStranger', actions: 'refuseStranger' },
          { actions: ['reassignKey', 'putRow'] },
        ],
      },
    },
  },
});
