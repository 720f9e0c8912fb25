/**
 * The account's chart: open or suspended. It grants holds out of its balance, charges or releases each exactly once,
 * and appends to the ledger. It deals the slots of its batches. Key limits and prices are outside its scope. The only
 * time it reads is the event's.
 */
import { setup } from 'xstate';
import { rowsOn } from '../runtime/index.ts';
import type { PaymentScope } from '../terms/refusal.ts';
import { type AccountState, emptyAccount } from './account-state.ts';
import * as budgets from './budgets.ts';
import * as deposits from './deposits.ts';
import * as idempotency from './idempotency.ts';
import * as lifecycle from './lifecycle.ts';
import * as lowBalance from './low-balance.ts';
import * as open from './open-hold.ts';
import * as prune from './prune-ledger.ts';
import * as queue from './queue.ts';
import * as raise from './raise-hold.ts';
import * as release from './release-hold.ts';
import * as settle from './settle-hold.ts';
import * as storage from './storage.ts';
import * as sweep from './sweep-holds.ts';

type AccountEvent =
  | budgets.BudgetEvent
  | deposits.DepositEvent
  | open.OpenEvent
  | raise.HoldRaise
  | release.ReleaseEvent
  | settle.HoldSettle
  | sweep.SweepEvent
  | idempotency.SubmissionClaim
  | lifecycle.LifecycleEvent
  | lowBalance.NoticeSet
  | prune.LedgerPrune
  | queue.QueueEvent
  | storage.StorageEvent;

/** Guards: the verdict on a hold's event is one of these. */
const openIs = (...as: readonly open.OpenCase[]) => ({ type: 'openIs', params: { as } }) as const;
const raiseIs = (...as: readonly raise.RaiseCase[]) => ({ type: 'raiseIs', params: { as } }) as const;
const settleIs = (...as: readonly settle.SettleCase[]) => ({ type: 'settleIs', params: { as } }) as const;
const releaseIs = (as: release.ReleaseCase) => ({ type: 'releaseIs', params: { as } }) as const;

const show = (status: 'open' | 'suspended') => ({ type: 'show', params: { status } }) as const;
const answerCreate = (created: boolean) => ({ type: 'answerCreate', params: { created } }) as const;
/** Refusals by the exhausted limit. */
const refuseShort = (scope: PaymentScope) => ({ type: 'refuseShort', params: { scope } }) as const;
const refuseJobShort = (scope: PaymentScope) => ({ type: 'refuseJobShort', params: { scope } }) as const;
const refuseRaiseShort = (scope: PaymentScope) => ({ type: 'refuseRaiseShort', params: { scope } }) as const;

/** The rows that each event needs. */
export const accountRows = rowsOn({
  ...budgets.rows,
  ...deposits.rows,
  ...open.rows,
  ...prune.rows,
  ...raise.rows,
  ...release.rows,
  ...settle.rows,
  ...sweep.rows,
  ...idempotency.rows,
});

export const accountMachine = setup({
  types: {} as { context: AccountState; events: AccountEvent; input: { address: string } },
  guards: {
    ...budgets.guards,
    ...deposits.guards,
    ...open.guards,
    ...prune.guards,
    ...raise.guards,
    ...release.guards,
    ...settle.guards,
    ...idempotency.guards,
    ...lifecycle.guards,
    ...queue.guards,
    ...storage.guards,
  },
  actions: {
    ...budgets.actions,
    ...deposits.actions,
    ...open.actions,
    ...prune.actions,
    ...raise.actions,
    ...release.actions,
    ...settle.actions,
    ...sweep.actions,
    ...idempotency.actions,
    ...lifecycle.actions,
    ...lowBalance.actions,
    ...queue.actions,
    ...storage.actions,
  },
}).createMachine({
  id: 'account',
  initial: 'open',
  context: ({ input }) => emptyAccount(input.address),
  options: { maxIterations: 1000 },
  states: {
    open: {
      on: {
        'account.suspend': { target: 'suspended', actions: ['recordSwitch', show('suspended')] },
        'account.resume': { actions: show('open') },
        'account.show': { actions: show('open') },
        'account.standing': { actions: 'answerStanding' },
        'hold.open': [
          { guard: openIs('granted'), actions: ['hold', 'recordHold'] },
          { guard: openIs('key-short'), actions: refuseShort('key') },
          { guard: openIs('budget-short'), actions: refuseShort('workspace') },
          { guard: openIs('short'), actions: refuseShort('account') },
          { guard: openIs('unrecorded'), actions: 'renew' },
          { guard: openIs('stale'), actions: 'refuseStaleOpen' },
          { guard: openIs('claimed'), actions: 'refuseClaimed' },
          { actions: 'answerHold' },
        ],
        'job.hold': [
          { guard: openIs('granted'), actions: ['hold', 'recordJobHold'] },
          { guard: openIs('key-short'), actions: refuseJobShort('key') },
          { guard: openIs('budget-short'), actions: refuseJobShort('workspace') },
          { guard: openIs('short'), actions: refuseJobShort('account') },
          { actions: 'refuseStale' },
        ],
        'hold.raise': [
          { guard: raiseIs('granted'), actions: ['moveHold', 'recordRaise'] },
          { guard: raiseIs('key-short'), actions: refuseRaiseShort('key') },
          { guard: raiseIs('budget-short'), actions: refuseRaiseShort('workspace') },
          { guard: raiseIs('short'), actions: refuseRaiseShort('account') },
          { guard: raiseIs('stale'), actions: 'refuseStaleRaise' },
          { actions: 'answerRaise' },
        ],
      },
    },
    suspended: {
      on: {
        'account.suspend': { actions: show('suspended') },
        'account.resume': { target: 'open', actions: ['recordSwitch', show('open')] },
        'account.show': { actions: show('suspended') },
        'account.standing': { actions: 'refuseOwner' },
        'hold.open': [
          { guard: openIs('recorded', 'ended'), actions: 'answerHold' },
          { guard: openIs('stale'), actions: 'refuseStaleOpen' },
          { guard: openIs('unrecorded'), actions: 'renew' },
          { actions: 'refuseSuspended' },
        ],
        'job.hold': { actions: 'refuseSuspendedJob' },
        'hold.raise': [
          { guard: raiseIs('recorded', 'ended'), actions: 'answerRaise' },
          { actions: 'refuseSuspendedRaise' },
        ],
      },
    },
  },
  on: {
    'account.create': [
      { guard: 'isNew', actions: ['create', 'listNew', answerCreate(true)] },
      { actions: answerCreate(false) },
    ],
    'key.issued': { actions: ['countKey', 'answerIssued'] },
    'deposit.credit': [{ guard: 'isRecorded', actions: 'answerPaidIn' }, { actions: ['credit', 'recordDeposit'] }],
    'adjustment.record': [
      { guard: 'isRecorded', actions: 'answerPaidIn' },
      { actions: ['adjust', 'recordAdjustment', 'noticeLow'] },
    ],
    'ledger.prune': [{ guard: 'isPrunable', actions: 'prune' }, { actions: 'refusePrune' }],
    'notice.set': { actions: ['setNotice', 'recordNotice'] },
    'hold.settle': [
      { guard: settleIs('charge', 'late'), actions: ['charge', 'recordCharge', 'noticeLow'] },
      { guard: settleIs('recorded'), actions: 'answerSettled' },
      { guard: settleIs('stale'), actions: 'refuseStale' },
      { guard: settleIs('malformed'), actions: 'refuseMalformed' },
      { actions: 'refuseUnknown' },
    ],
    'hold.release': [
      { guard: releaseIs('release'), actions: ['release', 'recordRelease'] },
      { guard: releaseIs('stale'), actions: 'refuseStale' },
      { guard: releaseIs('supersede'), actions: 'recordSupersession' },
      { guard: releaseIs('unadmitted'), actions: ['scheduleTombstoneSweep', 'recordTombstone'] },
      { actions: 'answerRelease' },
    ],
    'storage.take': [{ guard: 'hasRoom', actions: 'takeStorage' }, { actions: 'refuseStorage' }],
    'storage.give': { actions: 'giveStorage' },
    'holds.release': { actions: ['releaseMany', 'recordReleases'] },
    'workspace.opened': [{ guard: 'hasTooManyWorkspaces', actions: 'refuseWorkspace' }, { actions: 'openWorkspace' }],
    'workspace.closed': { actions: 'closeWorkspace' },
    'budget.set': { actions: 'setBudget' },
    'queue.join': [
      { guard: 'isSubmitted', actions: 'refuseSubmitted' },
      { guard: 'isQueueFull', actions: 'refuseFull' },
      { actions: ['recordSubmission', 'grantSlots', 'changeQueue'] },
    ],
    'submission.claim': [{ guard: 'isSubmitted', actions: 'refuseSubmitted' }, { actions: 'recordSubmission' }],
    'slot.update': { actions: ['grantSlots', 'changeQueue'] },
    'queue.leave': { actions: ['grantSlots', 'changeQueue'] },
    'holds.sweep': { actions: ['sweep', 'recordSweep'] },
    'gateway.lost': { actions: ['loseGateway', 'recordLost'] },
  },
});
