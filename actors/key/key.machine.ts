/**
 * The key's chart: active, disabled or revoked; expiry is read from the event's time. It checks, in this order, the rate
 * window, its status, its kind and its limit, and then lets its account decide. Of a later attempt the account also
 * checks the limit. A revoked key is never final: it goes on
 * answering 401, and is charged for what it had running.
 */
import { assign, setup } from 'xstate';
import { emit, ownerOf } from '../runtime/index.ts';
import { isFirstHold } from '../terms/hold-attempt.ts';
import { accountAddress } from '../terms/ids.ts';
import { only } from '../terms/only.ts';
import { putCredential } from './credential.ts';
import * as answers from './effects.ts';
import type { KeyEvent } from './events.ts';
import * as purse from './key-state.ts';
import { keyView } from './statement.ts';

type Purse = purse.KeyState;

export const keyMachine = setup({
  types: {} as { context: Purse; events: KeyEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.createdAt === null,
    isRepeat: ({ event }) => only(event, 'turn.admit').request.repeat,
    isLaterAttempt: ({ event }) => !isFirstHold(only(event, 'turn.admit').request.attempt),
    isOverRate: ({ context, event }) => purse.isOverRate(context, only(event, 'turn.admit', 'key.count')),
    isExpired: ({ context, event }) => purse.isExpired(context, event.at),
    isManagement: ({ context }) => context.kind === 'management',
    exceedsLimit: ({ context, event }) => purse.exceedsLimit(context, only(event, 'turn.admit')),
  },
  actions: {
    issue: assign(({ context, event }) => purse.issue(context, only(event, 'key.create'))),
    reportIssued: emit<Purse, KeyEvent>(({ context }) => answers.reportIssued(context)),
    answerIssued: emit<Purse, KeyEvent>(({ context }) => answers.answerIssued(context)),
    putActive: emit<Purse, KeyEvent>(({ context }) => putCredential(context, 'active')),
    putDisabled: emit<Purse, KeyEvent>(({ context }) => putCredential(context, 'disabled')),
    putRevoked: emit<Purse, KeyEvent>(({ context }) => putCredential(context, 'revoked')),
    showActive: emit<Purse, KeyEvent>(({ context, event }) => answers.reply(keyView(context, 'active', event.at))),
    showDisabled: emit<Purse, KeyEvent>(({ context, event }) => answers.reply(keyView(context, 'disabled', event.at))),
    showRevoked: emit<Purse, KeyEvent>(({ context, event }) => answers.reply(keyView(context, 'revoked', event.at))),
    relimit: assign(({ context, event }) => purse.relimit(context, only(event, 'key.limit'))),

    count: assign(({ context, event }) => purse.countRequest(context, event.at)),
    reserve: assign(({ context, event }) => purse.reserve(context, only(event, 'turn.admit'))),
    openHold: emit<Purse, KeyEvent>(({ context, event }) => answers.openHold(context, only(event, 'turn.admit'))),
    openLaterHold: emit<Purse, KeyEvent>(({ context, event }) =>
      answers.openLaterHold(context, only(event, 'turn.admit')),
    ),
    raiseHold: emit<Purse, KeyEvent>(({ context, event }) => answers.raiseHold(context, only(event, 'turn.raise'))),
    askStanding: emit<Purse, KeyEvent>(({ context }) => answers.askStanding(context)),
    refuseRate: emit<Purse, KeyEvent>(({ context, event }) =>
      answers.refuseForRate(context, only(event, 'turn.admit', 'key.count')),
    ),
    refuseLimit: emit<Purse, KeyEvent>(({ context, event }) =>
      answers.refuseForLimit(context, only(event, 'turn.admit')),
    ),
    refuseManagement: emit(() => answers.refuseManagement()),
    refuseTurn: emit(() => answers.refuseTurnCredential()),
    refuseCount: emit(() => answers.refuseCountCredential()),

    charge: assign(({ context, event }) => purse.charge(context, only(event, 'spend.record'))),
    closeHolds: assign(({ context, event }) => purse.giveBack(context, only(event, 'hold.closed').amount)),
    takeBack: assign(({ context, event }) => purse.giveBack(context, only(event, 'hold.refused').amount)),
    moveHeld: assign(({ context, event }) => purse.moveHeld(context, only(event, 'hold.moved').delta)),
  },
}).createMachine({
  id: 'key',
  initial: 'active',
  context: ({ input }) => purse.emptyKey(input.address, accountAddress(ownerOf(input.address))),
  options: { maxIterations: 1000 },
  states: {
    active: {
      on: {
        'turn.admit': [
          { guard: 'isRepeat', actions: 'openHold' },
          { guard: 'isOverRate', actions: 'refuseRate' },
          { guard: 'isExpired', actions: ['count', 'refuseTurn'] },
          { guard: 'isManagement', actions: ['count', 'refuseManagement'] },
          { guard: 'isLaterAttempt', actions: ['count', 'openLaterHold'] },
          { guard: 'exceedsLimit', actions: ['count', 'refuseLimit'] },
          { actions: ['reserve', 'openHold'] },
        ],
        'turn.raise': [{ guard: 'isExpired', actions: 'refuseTurn' }, { actions: 'raiseHold' }],
        'key.count': [
          { guard: 'isOverRate', actions: 'refuseRate' },
          { guard: 'isExpired', actions: ['count', 'refuseCount'] },
          { actions: ['count', 'askStanding'] },
        ],
        'key.show': { actions: 'showActive' },
        'key.limit': { actions: ['relimit', 'showActive'] },
        'key.enable': { actions: 'showActive' },
        'key.disable': { target: 'disabled', actions: ['putDisabled', 'showDisabled'] },
        'key.revoke': { target: 'revoked', actions: ['putRevoked', 'showRevoked'] },
      },
    },
    disabled: {
      on: {
        'key.show': { actions: 'showDisabled' },
        'key.limit': { actions: ['relimit', 'showDisabled'] },
        'key.enable': { target: 'active', actions: ['putActive', 'showActive'] },
        'key.disable': { actions: 'showDisabled' },
        'key.revoke': { target: 'revoked', actions: ['putRevoked', 'showRevoked'] },
      },
    },
    revoked: {
      on: {
        'key.show': { actions: 'showRevoked' },
        'key.limit': { actions: 'showRevoked' },
        'key.enable': { actions: 'showRevoked' },
        'key.disable': { actions: 'showRevoked' },
        'key.revoke': { actions: 'showRevoked' },
      },
    },
  },
  on: {
    'key.create': [{ guard: 'isNew', actions: ['issue', 'putActive', 'reportIssued'] }, { actions: 'answerIssued' }],
    'turn.admit': [
      { guard: 'isRepeat', actions: 'openHold' },
      { guard: 'isOverRate', actions: 'refuseRate' },
      { actions: ['count', 'refuseTurn'] },
    ],
    'turn.raise': { actions: 'refuseTurn' },
    'key.count': [{ guard: 'isOverRate', actions: 'refuseRate' }, { actions: ['count', 'refuseCount'] }],
    'spend.record': { actions: 'charge' },
    'hold.closed': { actions: 'closeHolds' },
    'hold.moved': { actions: 'moveHeld' },
    'hold.refused': { actions: 'takeBack' },
  },
});
