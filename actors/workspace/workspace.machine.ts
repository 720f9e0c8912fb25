/**
 * A workspace as a chart: settings, members and budgets for the keys that belong to it. It judges no request: gateways
 * read its row for routing, and the account counts what it spends. Keys join and leave in the commit of their own change,
 * so a workspace with keys is never deleted.
 */
import { assign, setup } from 'xstate';
import { emit } from '../runtime/index.ts';
import { only } from '../terms/chart-tools.ts';
import * as effects from './effects.ts';
import type { WorkspaceEvent } from './events.ts';
import * as state from './workspace-state.ts';
import { recordOf, type WorkspaceState } from './workspace-state.ts';

const chart = setup({
  types: {} as { context: WorkspaceState; events: WorkspaceEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.record === null,
    isDefault: ({ context }) => recordOf(context).isDefault,
    isInUse: ({ context }) => recordOf(context).keys > 0,
    hasTooMany: ({ context, event }) => state.hasTooMany(recordOf(context), only(event, 'workspace.members.add')),
    hasBusyMember: ({ context, event }) =>
      state.busyMember(recordOf(context), only(event, 'workspace.members.remove')) !== undefined,
    isStranger: ({ context, event }) => !state.knows(recordOf(context), only(event, 'workspace.join').member),
    isStrangerAssigned: ({ context, event }) => !state.knows(recordOf(context), only(event, 'workspace.assign').to),
  },
  actions: {
    create: assign({ record: ({ context, event }) => state.create(context, only(event, 'workspace.create')) }),
    update: assign({
      record: ({ context, event }) => state.update(recordOf(context), only(event, 'workspace.update')),
    }),
    addMembers: assign({
      record: ({ context, event }) => state.addMembers(recordOf(context), only(event, 'workspace.members.add')),
    }),
    removeMembers: assign({
      record: ({ context, event }) => state.removeMembers(recordOf(context), only(event, 'workspace.members.remove')),
    }),
    setBudget: assign({
      record: ({ context, event }) => state.setBudget(recordOf(context), only(event, 'workspace.budget')),
    }),
    join: assign({ record: ({ context, event }) => state.join(recordOf(context), only(event, 'workspace.join')) }),
    leave: assign({ record: ({ context, event }) => state.leave(recordOf(context), only(event, 'workspace.leave')) }),
    assignKey: assign({
      record: ({ context, event }) => state.assignKey(recordOf(context), only(event, 'workspace.assign')),
    }),
    put: emit<WorkspaceState, WorkspaceEvent>(({ context }) => effects.put(context)),
    answer: emit<WorkspaceState, WorkspaceEvent>(({ context }) => effects.answer(context)),
    reportOpened: emit<WorkspaceState, WorkspaceEvent>(({ context }) => effects.reportOpened(context)),
    reportBudget: emit<WorkspaceState, WorkspaceEvent>(({ context }) => effects.reportBudget(context)),
    recordChange: emit<WorkspaceState, WorkspaceEvent>(({ context, event }) =>
      effects.recordChange(
        context,
        only(
          event,
          ...(['workspace.create', 'workspace.update', 'workspace.delete', 'workspace.budget'] as const),
          ...(['workspace.members.add', 'workspace.members.remove'] as const),
        ),
      ),
    ),
    end: emit<WorkspaceState, WorkspaceEvent>(({ context }) => effects.end(context)),
    refuseMembers: emit(() => effects.refuseMembers()),
    refuseRemoval: emit<WorkspaceState, WorkspaceEvent>(({ context, event }) =>
      effects.refuseRemoval(context, only(event, 'workspace.members.remove')),
    ),
    refuseMember: emit<WorkspaceState, WorkspaceEvent>(({ event }) =>
      effects.refuseMember(only(event, 'workspace.join', 'workspace.assign')),
    ),
    refuseDefault: emit(() => effects.refuseDefault()),
    refuseInUse: emit<WorkspaceState, WorkspaceEvent>(({ context }) => effects.refuseInUse(context)),
  },
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
          { guard: 'isNew', actions: ['create', 'put', 'reportOpened', 'recordChange', 'answer'] },
          { actions: 'answer' },
        ],
        'workspace.update': { actions: ['update', 'put', 'recordChange', 'answer'] },
        'workspace.members.add': [
          { guard: 'hasTooMany', actions: 'refuseMembers' },
          { actions: ['addMembers', 'put', 'recordChange', 'answer'] },
        ],
        'workspace.members.remove': [
          { guard: 'hasBusyMember', actions: 'refuseRemoval' },
          { actions: ['removeMembers', 'put', 'recordChange', 'answer'] },
        ],
        'workspace.budget': { actions: ['setBudget', 'put', 'reportBudget', 'recordChange', 'answer'] },
        'workspace.delete': [
          { guard: 'isDefault', actions: 'refuseDefault' },
          { guard: 'isInUse', actions: 'refuseInUse' },
          { actions: ['recordChange', 'end'] },
        ],
        'workspace.join': [{ guard: 'isStranger', actions: 'refuseMember' }, { actions: ['join', 'put'] }],
        'workspace.leave': { actions: ['leave', 'put'] },
        'workspace.assign': [
          { guard: 'isStrangerAssigned', actions: 'refuseMember' },
          { actions: ['assignKey', 'put'] },
        ],
      },
    },
  },
});
