/**
 * The account's chart: open or suspended. It grants holds out of its balance, charges or releases each exactly once,
 * and appends to the ledger. It deals the slots of its batches. Key limits and prices are outside its scope. The only
 * time it reads is the event's.
 */
import { assign, setup } from 'xstate';
import { emit } from '../runtime/index.ts';
import { only } from '../terms/only.ts';
import { firstRow } from '../terms/row.ts';
import { UNAUTHENTICATED } from '../terms/unauthenticated.ts';
import { WORKSPACES_MAX } from '../terms/workspace.ts';
import { type AccountState, emptyAccount } from './account-state.ts';
import { judgeOpen, judgeRaise, judgeRelease, judgeSettle, raiseScope } from './admission.ts';
import { answerPaidIn, recordAdjustment, recordDeposit } from './deposit.ts';
import * as effects from './effects.ts';
import type { AccountEvent } from './events.ts';
import { noticeLow, recordNotice, setNotice } from './low-balance.ts';
import * as queue from './queue.ts';
import * as reducers from './reducers.ts';
import { recordReleases, releaseMany } from './release-many.ts';
import { accountView, answerCreated } from './statement.ts';
import * as submission from './submission.ts';
import { recordLost, recordSweep } from './sweep.ts';

export const accountMachine = setup({
  types: {} as { context: AccountState; events: AccountEvent; input: { address: string } },
  guards: {
    isNew: ({ context }) => context.createdAt === null,
    isRecorded: ({ event }) => firstRow(event, 'recorded') !== null,
    isGranted: ({ context, event }) => judgeOpen(context, only(event, 'hold.open')) === 'granted',
    isShort: ({ context, event }) => ['short', 'budget-short'].includes(judgeOpen(context, only(event, 'hold.open'))),
    isUnrecorded: ({ context, event }) => judgeOpen(context, only(event, 'hold.open')) === 'unrecorded',
    isBeyondLimit: ({ context, event }) => judgeOpen(context, only(event, 'hold.open')) === 'key-short',
    isClaimed: ({ context, event }) => judgeOpen(context, only(event, 'hold.open')) === 'claimed',
    isStaleOpen: ({ context, event }) => judgeOpen(context, only(event, 'hold.open')) === 'stale',
    isHeldOrEnded: ({ context, event }) => ['recorded', 'ended'].includes(judgeOpen(context, only(event, 'hold.open'))),
    mayMove: ({ context, event }) => judgeRaise(context, only(event, 'hold.raise')) === 'granted',
    isKeyShort: ({ context, event }) => judgeRaise(context, only(event, 'hold.raise')) === 'key-short',
    isAccountShort: ({ context, event }) =>
      ['account-short', 'budget-short'].includes(judgeRaise(context, only(event, 'hold.raise'))),
    isStaleRaise: ({ context, event }) => judgeRaise(context, only(event, 'hold.raise')) === 'stale',
    isMovedOrEnded: ({ context, event }) =>
      ['recorded', 'ended'].includes(judgeRaise(context, only(event, 'hold.raise'))),
    isChargeable: ({ event }) => ['charge', 'late'].includes(judgeSettle(only(event, 'hold.settle'))),
    isCharged: ({ event }) => judgeSettle(only(event, 'hold.settle')) === 'recorded',
    isStaleSettle: ({ event }) => judgeSettle(only(event, 'hold.settle')) === 'stale',
    isMalformed: ({ event }) => judgeSettle(only(event, 'hold.settle')) === 'malformed',
    isReleasable: ({ event }) => judgeRelease(only(event, 'hold.release')) === 'release',
    isStaleRelease: ({ event }) => judgeRelease(only(event, 'hold.release')) === 'stale',
    isSuperseded: ({ event }) => judgeRelease(only(event, 'hold.release')) === 'supersede',
    isUnadmitted: ({ event }) => judgeRelease(only(event, 'hold.release')) === 'unadmitted',
    hasRoom: ({ context, event }) => reducers.hasRoom(context, only(event, 'storage.take')),
    isSubmitted: ({ event }) => submission.claimOf(only(event, 'queue.join', 'submission.claim')) !== null,
    isGrantedToJob: ({ context, event }) => judgeOpen(context, only(event, 'job.hold')) === 'granted',
    hasTooManyWorkspaces: ({ context }) => context.workspaces >= WORKSPACES_MAX,
    isQueueFull: ({ context }) => queue.isQueueFull(context),
  },
  actions: {
    create: assign(({ context, event }) => reducers.create(context, event)),
    answerCreated: emit<AccountState, AccountEvent>(({ context }) => answerCreated(context, true)),
    answerKnown: emit<AccountState, AccountEvent>(({ context }) => answerCreated(context, false)),
    showOpen: emit<AccountState, AccountEvent>(({ context }) => effects.reply(accountView(context, 'open'))),
    showSuspended: emit<AccountState, AccountEvent>(({ context }) => effects.reply(accountView(context, 'suspended'))),
    recordSwitch: emit<AccountState, AccountEvent>(({ context, event }) =>
      effects.recordSwitch(context, only(event, 'account.suspend', 'account.resume')),
    ),
    answerStanding: emit(() => effects.reply({ counted: true })),
    refuseOwner: emit(() => effects.reply({ refusal: UNAUTHENTICATED })),
    countKey: assign({ keys: ({ context }) => context.keys + 1 }),
    answerIssued: emit<AccountState, AccountEvent>(({ event }) => effects.issued(only(event, 'key.issued'))),

    credit: assign(({ context, event }) => reducers.credit(context, only(event, 'deposit.credit'))),
    recordDeposit: emit<AccountState, AccountEvent>(({ context, event }) =>
      recordDeposit(context, only(event, 'deposit.credit')),
    ),
    adjust: assign(({ context, event }) => reducers.adjust(context, only(event, 'adjustment.record'))),
    recordAdjustment: emit<AccountState, AccountEvent>(({ context, event }) =>
      recordAdjustment(context, only(event, 'adjustment.record')),
    ),
    answerPaidIn: emit<AccountState, AccountEvent>(({ event }) =>
      answerPaidIn(only(event, 'deposit.credit', 'adjustment.record')),
    ),

    noticeLow: emit<AccountState, AccountEvent>(({ context }) => noticeLow(context)),
    setNotice: assign(({ context, event }) => setNotice(context, only(event, 'notice.set'))),
    recordNotice: emit<AccountState, AccountEvent>(({ context, event }) =>
      recordNotice(context, only(event, 'notice.set')),
    ),

    hold: assign(({ context, event }) => reducers.hold(context, only(event, 'hold.open'))),
    recordHold: emit<AccountState, AccountEvent>(({ context, event }) =>
      effects.recordHold(context, only(event, 'hold.open')),
    ),
    answerHold: emit<AccountState, AccountEvent>(({ event }) => effects.answerHold(only(event, 'hold.open'))),
    renew: emit<AccountState, AccountEvent>(({ event }) => effects.renew(only(event, 'hold.open'))),
    refuseShort: emit<AccountState, AccountEvent>(({ context, event }) =>
      effects.refuseShort(context, only(event, 'hold.open')),
    ),
    refuseBeyondLimit: emit<AccountState, AccountEvent>(({ event }) =>
      effects.refuseBeyondLimit(only(event, 'hold.open')),
    ),
    refuseClaimed: emit<AccountState, AccountEvent>(({ event }) => effects.refuseClaimed(only(event, 'hold.open'))),
    refuseStaleOpen: emit<AccountState, AccountEvent>(({ event }) =>
      effects.refuseHold(only(event, 'hold.open'), effects.STALE),
    ),
    refuseSuspended: emit<AccountState, AccountEvent>(({ event }) =>
      effects.refuseHold(only(event, 'hold.open'), UNAUTHENTICATED),
    ),

    holdForJob: assign(({ context, event }) => reducers.holdForJob(context, only(event, 'job.hold'))),
    recordJobHold: emit<AccountState, AccountEvent>(({ context, event }) =>
      effects.recordJobHold(context, only(event, 'job.hold')),
    ),
    refuseJobHold: emit<AccountState, AccountEvent>(({ context, event }) => {
      const hold = only(event, 'job.hold');
      return effects.refuseJobHold(context, hold, judgeOpen(context, hold));
    }),
    refuseSuspendedJob: emit(() => effects.refuse(UNAUTHENTICATED)),

    moveHold: assign(({ context, event }) => reducers.moveHold(context, only(event, 'hold.raise'))),
    recordRaise: emit<AccountState, AccountEvent>(({ context, event }) =>
      effects.recordRaise(context, only(event, 'hold.raise')),
    ),
    answerRaise: emit<AccountState, AccountEvent>(({ event }) => effects.answerRaise(only(event, 'hold.raise'))),
    refuseKeyShort: emit<AccountState, AccountEvent>(({ context, event }) =>
      effects.refuseRaiseShort(context, only(event, 'hold.raise'), 'key'),
    ),
    refuseAccountShort: emit<AccountState, AccountEvent>(({ context, event }) =>
      effects.refuseRaiseShort(context, only(event, 'hold.raise'), raiseScope(context, only(event, 'hold.raise'))),
    ),
    refuseStaleRaise: emit(() => effects.reply({ admitted: false, refusal: effects.STALE })),
    refuseSuspendedRaise: emit(() => effects.reply({ admitted: false, refusal: UNAUTHENTICATED })),

    charge: assign(({ context, event }) => reducers.charge(context, only(event, 'hold.settle'))),
    recordCharge: emit<AccountState, AccountEvent>(({ context, event }) =>
      effects.recordCharge(context, only(event, 'hold.settle')),
    ),
    answerSettled: emit<AccountState, AccountEvent>(({ event }) => effects.answerSettled(only(event, 'hold.settle'))),
    refuseStale: emit(() => effects.refuse(effects.STALE)),
    refuseMalformed: emit(() => effects.refuse(effects.MALFORMED)),
    refuseUnknown: emit(() => effects.refuse(effects.UNKNOWN)),

    release: assign(({ context, event }) => reducers.release(context, event)),
    recordRelease: emit<AccountState, AccountEvent>(({ event }) => effects.recordRelease(only(event, 'hold.release'))),
    recordSupersession: emit<AccountState, AccountEvent>(({ event }) =>
      effects.recordSupersession(only(event, 'hold.release')),
    ),
    answerRelease: emit<AccountState, AccountEvent>(({ event }) => effects.answerRelease(only(event, 'hold.release'))),
    scheduleTombstoneSweep: assign(({ context, event }) => reducers.scheduleTombstoneSweep(context, event)),
    recordTombstone: emit<AccountState, AccountEvent>(({ context, event }) =>
      effects.recordTombstone(context, only(event, 'hold.release')),
    ),
    sweep: assign(({ context, event }) => reducers.sweep(context, event)),
    recordSweep: emit<AccountState, AccountEvent>(({ event }) => recordSweep(only(event, 'holds.sweep'))),
    takeStorage: assign(({ context, event }) => reducers.takeStorage(context, only(event, 'storage.take'))),
    giveStorage: assign(({ context, event }) => reducers.giveStorage(context, only(event, 'storage.give'))),
    refuseStorage: emit<AccountState, AccountEvent>(({ event }) => effects.refuseStorage(only(event, 'storage.take'))),
    releaseMany: assign(({ context, event }) => releaseMany(context, only(event, 'holds.release'))),
    recordReleases: emit<AccountState, AccountEvent>(({ context, event }) =>
      recordReleases(context, only(event, 'holds.release')),
    ),
    openWorkspace: assign(({ context, event }) => reducers.openWorkspace(context, only(event, 'workspace.opened'))),
    closeWorkspace: assign(({ context, event }) => reducers.closeWorkspace(context, only(event, 'workspace.closed'))),
    refuseWorkspace: emit(() => effects.refuseWorkspace()),
    setBudget: assign(({ context, event }) => reducers.setBudget(context, only(event, 'budget.set'))),
    refuseSubmitted: emit<AccountState, AccountEvent>(({ event }) =>
      submission.refuseClaimedSubmission(only(event, 'queue.join', 'submission.claim')),
    ),
    refuseFull: emit<AccountState, AccountEvent>(({ context }) => queue.refuseFull(context)),
    recordSubmission: emit<AccountState, AccountEvent>(({ event }) =>
      submission.recordSubmission(only(event, 'queue.join', 'submission.claim')),
    ),
    // Before the queue changes: the grants follow from the state before the event.
    grantSlots: emit<AccountState, AccountEvent>(({ context, event }) =>
      queue.grantSlots(context, only(event, 'queue.join', 'slot.update', 'queue.leave')),
    ),
    changeQueue: assign(({ context, event }) => reducers.changeQueue(context, event)),
    loseGateway: assign(({ context, event }) => reducers.loseGateway(context, event)),
    recordLost: emit<AccountState, AccountEvent>(({ event }) => recordLost(only(event, 'gateway.lost'))),
  },
}).createMachine({
  id: 'account',
  initial: 'open',
  context: ({ input }) => emptyAccount(input.address),
  options: { maxIterations: 1000 },
  states: {
    open: {
      on: {
        'account.suspend': { target: 'suspended', actions: ['recordSwitch', 'showSuspended'] },
        'account.resume': { actions: 'showOpen' },
        'account.show': { actions: 'showOpen' },
        'account.standing': { actions: 'answerStanding' },
        'hold.open': [
          { guard: 'isGranted', actions: ['hold', 'recordHold'] },
          { guard: 'isBeyondLimit', actions: 'refuseBeyondLimit' },
          { guard: 'isShort', actions: 'refuseShort' },
          { guard: 'isUnrecorded', actions: 'renew' },
          { guard: 'isStaleOpen', actions: 'refuseStaleOpen' },
          { guard: 'isClaimed', actions: 'refuseClaimed' },
          { actions: 'answerHold' },
        ],
        'job.hold': [
          { guard: 'isGrantedToJob', actions: ['holdForJob', 'recordJobHold'] },
          { actions: 'refuseJobHold' },
        ],
        'hold.raise': [
          { guard: 'mayMove', actions: ['moveHold', 'recordRaise'] },
          { guard: 'isKeyShort', actions: 'refuseKeyShort' },
          { guard: 'isAccountShort', actions: 'refuseAccountShort' },
          { guard: 'isStaleRaise', actions: 'refuseStaleRaise' },
          { actions: 'answerRaise' },
        ],
      },
    },
    suspended: {
      on: {
        'account.suspend': { actions: 'showSuspended' },
        'account.resume': { target: 'open', actions: ['recordSwitch', 'showOpen'] },
        'account.show': { actions: 'showSuspended' },
        'account.standing': { actions: 'refuseOwner' },
        'hold.open': [
          { guard: 'isHeldOrEnded', actions: 'answerHold' },
          { guard: 'isStaleOpen', actions: 'refuseStaleOpen' },
          { guard: 'isUnrecorded', actions: 'renew' },
          { actions: 'refuseSuspended' },
        ],
        'job.hold': { actions: 'refuseSuspendedJob' },
        'hold.raise': [{ guard: 'isMovedOrEnded', actions: 'answerRaise' }, { actions: 'refuseSuspendedRaise' }],
      },
    },
  },
  on: {
    'account.create': [{ guard: 'isNew', actions: ['create', 'answerCreated'] }, { actions: 'answerKnown' }],
    'key.issued': { actions: ['countKey', 'answerIssued'] },
    'deposit.credit': [{ guard: 'isRecorded', actions: 'answerPaidIn' }, { actions: ['credit', 'recordDeposit'] }],
    'adjustment.record': [
      { guard: 'isRecorded', actions: 'answerPaidIn' },
      { actions: ['adjust', 'recordAdjustment', 'noticeLow'] },
    ],
    'notice.set': { actions: ['setNotice', 'recordNotice'] },
    'hold.settle': [
      { guard: 'isChargeable', actions: ['charge', 'recordCharge', 'noticeLow'] },
      { guard: 'isCharged', actions: 'answerSettled' },
      { guard: 'isStaleSettle', actions: 'refuseStale' },
      { guard: 'isMalformed', actions: 'refuseMalformed' },
      { actions: 'refuseUnknown' },
    ],
    'hold.release': [
      { guard: 'isReleasable', actions: ['release', 'recordRelease'] },
      { guard: 'isStaleRelease', actions: 'refuseStale' },
      { guard: 'isSuperseded', actions: 'recordSupersession' },
      { guard: 'isUnadmitted', actions: ['scheduleTombstoneSweep', 'recordTombstone'] },
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
