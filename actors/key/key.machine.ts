/**
 * The key's chart: active, disabled or revoked; expiry is computed from the event's time. The key checks, in this
 * order, its rate window, status, kind and limit; then its account decides. For a later attempt, a request with an
 * idempotency key and one beyond the limit the account checks the limit, since the answer depends on what it knows: a
 * suspended owner is answered 401, whatever the limit. The state `revoked` is not final: a revoked key still answers
 * 401, and requests that were running are still charged to it.
 */
import { setup } from 'xstate';
import { ownerOf } from '../runtime/index.ts';
import { accountAddress } from '../terms/ids.ts';
import * as changes from './changes.ts';
import * as holds from './holds.ts';
import { emptyKey, type KeyState, type KeyStatus } from './key-state.ts';
import * as usage from './usage.ts';

const chart = setup({
  types: {} as {
    context: KeyState;
    events: changes.ChangeEvent | holds.HoldEvent | usage.UsageClose;
    input: { address: string };
  },
  guards: { ...changes.guards, ...holds.guards },
  actions: { ...changes.actions, ...holds.actions, ...usage.actions },
});

const show = (status: KeyStatus) => ({ type: 'show', params: { status } }) as const;
const putCredential = (status: KeyStatus) => ({ type: 'putCredential', params: { status } }) as const;
const putFeedEvent = (status: KeyStatus) => ({ type: 'putFeedEvent', params: { status } }) as const;
/** What every change leaves behind: the credential with its status, an event of the feed, and an entry of the audit log. */
const recordAs = (status: KeyStatus) => [putCredential(status), putFeedEvent(status), 'recordChange'] as const;

/** Changes of a key that is not revoked. */
const edit = (status: KeyStatus) => ({ actions: ['reassign', 'edit', ...recordAs(status), show(status)] }) as const;
const switched = (status: KeyStatus) => ({ actions: ['touch', ...recordAs(status), show(status)] }) as const;
const changesOf = (status: 'active' | 'disabled') =>
  ({
    'key.show': { actions: show(status) },
    'key.move': [
      { guard: 'isThere', actions: show(status) },
      { actions: ['leaveWorkspace', 'move', 'joinWorkspace', ...recordAs(status), show(status)] },
    ],
    'key.revoke': {
      target: 'revoked',
      actions: ['leaveWorkspace', 'touch', ...recordAs('revoked'), show('revoked')],
    },
  }) as const;

export const keyMachine = chart.createMachine({
  id: 'key',
  initial: 'active',
  context: ({ input }) => emptyKey(input.address, accountAddress(ownerOf(input.address))),
  options: { maxIterations: 1000 },
  states: {
    active: {
      on: {
        ...changesOf('active'),
        'key.edit': [{ guard: 'disables', target: 'disabled', ...edit('disabled') }, edit('active')],
        'key.enable': { actions: show('active') },
        'key.disable': { target: 'disabled', ...switched('disabled') },
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
      },
    },
    disabled: {
      on: {
        ...changesOf('disabled'),
        'key.edit': [{ guard: 'enables', target: 'active', ...edit('active') }, edit('disabled')],
        'key.enable': { target: 'active', ...switched('active') },
        'key.disable': { actions: show('disabled') },
      },
    },
    revoked: {
      on: {
        'key.show': { actions: show('revoked') },
        'key.edit': { actions: show('revoked') },
        'key.move': { actions: show('revoked') },
        'key.enable': { actions: show('revoked') },
        'key.disable': { actions: show('revoked') },
        'key.revoke': { actions: show('revoked') },
      },
    },
  },
  on: {
    'key.create': [
      { guard: 'isNew', actions: ['issue', 'joinWorkspace', ...recordAs('active'), 'reportIssued'] },
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
    'hold.closed': { actions: 'giveBack' },
    'hold.moved': { actions: 'moveHeld' },
    'hold.refused': { actions: 'giveBack' },
  },
});
