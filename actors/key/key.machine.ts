/**
 * The key's chart: active, disabled or revoked; expiry is computed from the event's time. The key checks, in this
 * order, its rate window, status, kind and limit; then its account decides. For a later attempt, a request with an
 * idempotency key and one beyond the limit the account checks the limit, since the answer depends on what it knows: a
 * suspended owner is answered 401, whatever the limit. The state `revoked` is not final: a revoked key still answers
 * 401, and requests that were running are still charged to it.
 */
import { assign, setup } from 'xstate';
import { emit, ownerOf } from '../runtime/index.ts';
import { only } from '../terms/chart-tools.ts';
import { accountAddress } from '../terms/ids.ts';
import { putCredential } from './credential.ts';
import * as effects from './effects.ts';
import type { KeyEvent } from './events.ts';
import * as keyState from './key-state.ts';
import { changed, keyView } from './statement.ts';
import { closeUsage, recordUsage } from './usage.ts';

type KeyState = keyState.KeyState;

export const keyMachine = setup({
  types: {} as { context: KeyState; events: KeyEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.createdAt === null,
    isRepeat: ({ event }) => only(event, 'turn.admit').request.repeat,
    isJudgedByAccount: ({ event }) => effects.isJudgedByAccount(only(event, 'turn.admit')),
    isOverRate: ({ context, event }) => keyState.isOverRate(context, only(event, 'turn.admit', 'key.count')),
    isExpired: ({ context, event }) => keyState.isExpired(context, event.at),
    hasMoved: ({ context, event }) => keyState.hasMoved(context, only(event, 'turn.admit')),
    isThere: ({ context, event }) => context.workspace === only(event, 'key.move').workspace,
    disables: ({ event }) => only(event, 'key.edit').edit.disabled === true,
    enables: ({ event }) => only(event, 'key.edit').edit.disabled === false,
    cannotSpend: ({ context }) => context.kind !== 'inference',
    exceedsLimit: ({ context, event }) => keyState.exceedsLimit(context, only(event, 'turn.admit', 'job.admit')),
  },
  actions: {
    issue: assign(({ context, event }) => keyState.issue(context, only(event, 'key.create'))),
    reportIssued: emit<KeyState, KeyEvent>(({ context }) => effects.reportIssued(context)),
    answerIssued: emit<KeyState, KeyEvent>(({ context }) => effects.answerIssued(context)),
    putActive: emit<KeyState, KeyEvent>(({ context }) => putCredential(context, 'active')),
    putDisabled: emit<KeyState, KeyEvent>(({ context }) => putCredential(context, 'disabled')),
    putRevoked: emit<KeyState, KeyEvent>(({ context }) => putCredential(context, 'revoked')),
    showActive: emit<KeyState, KeyEvent>(({ context, event }) => effects.reply(keyView(context, 'active', event.at))),
    showDisabled: emit<KeyState, KeyEvent>(({ context, event }) =>
      effects.reply(keyView(context, 'disabled', event.at)),
    ),
    showRevoked: emit<KeyState, KeyEvent>(({ context, event }) => effects.reply(keyView(context, 'revoked', event.at))),
    changedActive: emit<KeyState, KeyEvent>(({ context, event }) => changed(context, 'active', event.at)),
    changedDisabled: emit<KeyState, KeyEvent>(({ context, event }) => changed(context, 'disabled', event.at)),
    changedRevoked: emit<KeyState, KeyEvent>(({ context, event }) => changed(context, 'revoked', event.at)),
    recordChange: emit<KeyState, KeyEvent>(({ context, event }) =>
      effects.recordChange(
        context,
        only(event, 'key.create', 'key.limit', 'key.edit', 'key.move', 'key.disable', 'key.enable', 'key.revoke'),
      ),
    ),
    edit: assign(({ context, event }) => keyState.edit(context, only(event, 'key.edit'))),
    move: assign(({ context, event }) => keyState.move(context, only(event, 'key.move'))),
    touch: assign(({ context, event }) => keyState.touch(context, event.at)),
    joinWorkspace: emit<KeyState, KeyEvent>(({ context }) => effects.joinWorkspace(context)),
    leaveWorkspace: emit<KeyState, KeyEvent>(({ context }) => effects.leaveWorkspace(context)),
    reassign: emit<KeyState, KeyEvent>(({ context, event }) => effects.reassign(context, only(event, 'key.edit'))),
    relimit: assign(({ context, event }) => keyState.relimit(context, only(event, 'key.limit'))),

    count: assign(({ context, event }) => keyState.countRequest(context, only(event, 'turn.admit', 'key.count'))),
    reserve: assign(({ context, event }) => keyState.reserve(context, only(event, 'turn.admit', 'job.admit'))),
    openHold: emit<KeyState, KeyEvent>(({ context, event }) => effects.openHold(context, only(event, 'turn.admit'))),
    openJudgedHold: emit<KeyState, KeyEvent>(({ context, event }) =>
      effects.openJudgedHold(context, only(event, 'turn.admit')),
    ),
    raiseHold: emit<KeyState, KeyEvent>(({ context, event }) => effects.raiseHold(context, only(event, 'turn.raise'))),
    askStanding: emit<KeyState, KeyEvent>(({ context }) => effects.askStanding(context)),
    refuseRate: emit<KeyState, KeyEvent>(({ context, event }) =>
      effects.refuseForRate(context, only(event, 'turn.admit', 'key.count')),
    ),
    openJobHold: emit<KeyState, KeyEvent>(({ context, event }) =>
      effects.openJobHold(context, only(event, 'job.admit')),
    ),
    openJudgedJobHold: emit<KeyState, KeyEvent>(({ context, event }) =>
      effects.openJudgedJobHold(context, only(event, 'job.admit')),
    ),
    refuseKind: emit<KeyState, KeyEvent>(({ context, event }) =>
      effects.refuseKind(context, only(event, 'turn.admit', 'job.admit')),
    ),
    refuseTurn: emit(() => effects.refuseTurnCredential()),
    refuseJob: emit(() => effects.refuseJobCredential()),
    refuseCount: emit(() => effects.refuseCountCredential()),

    charge: assign(({ context, event }) => keyState.charge(context, only(event, 'spend.record'))),
    recordUsage: emit<KeyState, KeyEvent>(({ context, event }) => recordUsage(context, only(event, 'spend.record'))),
    closeUsage: emit<KeyState, KeyEvent>(({ event }) => closeUsage(event)),
    closeHolds: assign(({ context, event }) => keyState.giveBack(context, only(event, 'hold.closed').amount)),
    takeBack: assign(({ context, event }) => keyState.giveBack(context, only(event, 'hold.refused').amount)),
    moveHeld: assign(({ context, event }) => keyState.moveHeld(context, only(event, 'hold.moved').delta)),
  },
}).createMachine({
  id: 'key',
  initial: 'active',
  context: ({ input }) => keyState.emptyKey(input.address, accountAddress(ownerOf(input.address))),
  options: { maxIterations: 1000 },
  states: {
    active: {
      on: {
        'turn.admit': [
          { guard: 'isRepeat', actions: 'openHold' },
          { guard: 'isOverRate', actions: 'refuseRate' },
          { guard: 'isExpired', actions: ['count', 'refuseTurn'] },
          { guard: 'hasMoved', actions: ['count', 'refuseTurn'] },
          { guard: 'cannotSpend', actions: ['count', 'refuseKind'] },
          { guard: 'isJudgedByAccount', actions: ['count', 'openJudgedHold'] },
          { guard: 'exceedsLimit', actions: ['count', 'openJudgedHold'] },
          { actions: ['reserve', 'openHold'] },
        ],
        'job.admit': [
          { guard: 'isExpired', actions: 'refuseJob' },
          { guard: 'cannotSpend', actions: 'refuseKind' },
          { guard: 'exceedsLimit', actions: 'openJudgedJobHold' },
          { actions: ['reserve', 'openJobHold'] },
        ],
        'turn.raise': [{ guard: 'isExpired', actions: 'refuseTurn' }, { actions: 'raiseHold' }],
        'key.count': [
          { guard: 'isOverRate', actions: 'refuseRate' },
          { guard: 'isExpired', actions: ['count', 'refuseCount'] },
          { actions: ['count', 'askStanding'] },
        ],
        'key.show': { actions: 'showActive' },
        'key.limit': { actions: ['relimit', 'changedActive', 'recordChange', 'showActive'] },
        'key.edit': [
          {
            guard: 'disables',
            target: 'disabled',
            actions: ['reassign', 'edit', 'putDisabled', 'changedDisabled', 'recordChange', 'showDisabled'],
          },
          { actions: ['reassign', 'edit', 'putActive', 'changedActive', 'recordChange', 'showActive'] },
        ],
        'key.move': [
          { guard: 'isThere', actions: 'showActive' },
          {
            actions: [
              'leaveWorkspace',
              'move',
              'joinWorkspace',
              'putActive',
              'changedActive',
              'recordChange',
              'showActive',
            ],
          },
        ],
        'key.enable': { actions: 'showActive' },
        'key.disable': {
          target: 'disabled',
          actions: ['touch', 'putDisabled', 'changedDisabled', 'recordChange', 'showDisabled'],
        },
        'key.revoke': {
          target: 'revoked',
          actions: ['leaveWorkspace', 'touch', 'putRevoked', 'changedRevoked', 'recordChange', 'showRevoked'],
        },
      },
    },
    disabled: {
      on: {
        'key.show': { actions: 'showDisabled' },
        'key.limit': { actions: ['relimit', 'changedDisabled', 'recordChange', 'showDisabled'] },
        'key.edit': [
          {
            guard: 'enables',
            target: 'active',
            actions: ['reassign', 'edit', 'putActive', 'changedActive', 'recordChange', 'showActive'],
          },
          { actions: ['reassign', 'edit', 'putDisabled', 'changedDisabled', 'recordChange', 'showDisabled'] },
        ],
        'key.move': [
          { guard: 'isThere', actions: 'showDisabled' },
          {
            actions: [
              'leaveWorkspace',
              'move',
              'joinWorkspace',
              'putDisabled',
              'changedDisabled',
              'recordChange',
              'showDisabled',
            ],
          },
        ],
        'key.enable': {
          target: 'active',
          actions: ['touch', 'putActive', 'changedActive', 'recordChange', 'showActive'],
        },
        'key.disable': { actions: 'showDisabled' },
        'key.revoke': {
          target: 'revoked',
          actions: ['leaveWorkspace', 'touch', 'putRevoked', 'changedRevoked', 'recordChange', 'showRevoked'],
        },
      },
    },
    revoked: {
      on: {
        'key.show': { actions: 'showRevoked' },
        'key.limit': { actions: 'showRevoked' },
        'key.edit': { actions: 'showRevoked' },
        'key.move': { actions: 'showRevoked' },
        'key.enable': { actions: 'showRevoked' },
        'key.disable': { actions: 'showRevoked' },
        'key.revoke': { actions: 'showRevoked' },
      },
    },
  },
  on: {
    'key.create': [
      {
        guard: 'isNew',
        actions: ['issue', 'joinWorkspace', 'putActive', 'changedActive', 'recordChange', 'reportIssued'],
      },
      { actions: 'answerIssued' },
    ],
    'turn.admit': [
      { guard: 'isRepeat', actions: 'openHold' },
      { guard: 'isOverRate', actions: 'refuseRate' },
      { actions: ['count', 'refuseTurn'] },
    ],
    'job.admit': { actions: 'refuseJob' },
    'turn.raise': { actions: 'refuseTurn' },
    'key.count': [{ guard: 'isOverRate', actions: 'refuseRate' }, { actions: ['count', 'refuseCount'] }],
    'spend.record': { actions: ['charge', 'recordUsage'] },
    'usage.close': { actions: 'closeUsage' },
    'hold.closed': { actions: 'closeHolds' },
    'hold.moved': { actions: 'moveHeld' },
    'hold.refused': { actions: 'takeBack' },
  },
});
