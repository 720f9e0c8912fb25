import type { RegisterOperation, RuntimeEvidence } from '../support/auditor/runtime-evidence.ts';

/** A small valid run of the runtime. */
export function cleanRuntime(): RuntimeEvidence {
  return {
    commits: [
      part(10, 'i1', 1, { address: 'cell:a', expected: 0, written: 1, before: 0, after: 1 }),
      part(30, 'i2', 2, { address: 'cell:a', expected: 1, written: 2, before: 1, after: 2 }),
    ],
    moves: [
      { at: 5, shard: 3, owner: 'i1', epoch: 1, from: 0 },
      { at: 20, shard: 3, owner: 'i2', epoch: 2, from: 1 },
    ],
    readLeaseMs: 50,
    timeSlackMs: 0,
    transitionLogs: [{ address: 'cell:a', versions: [1, 2] }],
    registers: [operation(9, 11, 'write', 'v1'), operation(29, 31, 'write', 'v2'), operation(200, 201, 'read', 'v2')],
    additions: [
      { address: 'tally:a', op: 'a1', by: 2, outcome: 'ok' },
      { address: 'tally:a', op: 'a2', by: 3, outcome: 'fail' },
    ],
    tallies: [{ address: 'tally:a', total: 2, additions: [{ op: 'a1', by: 2, times: 1 }] }],
    alarms: [{ address: 'alarm:a', name: 'x', set: 'ok', cancel: 'none' }],
    clockworks: [{ address: 'alarm:a', name: 'x', dueAt: 100, rings: 1, rangAt: 101, cancelled: false }],
    shown: [{ at: 11, what: 'answer', address: 'cell:a', count: 1, stored: 1 }],
    purses: [{ at: 12, owner: 'o', sum: 30, expected: 30 }],
    transfers: [{ transfer: 't1', from: 'wallet:a', to: 'wallet:b', amount: 5, outcome: 'ok' }],
    received: [{ transfer: 't1', from: 'wallet:a', to: 'wallet:b', number: 1, amount: 5, times: 1, order: 1 }],
    wallets: [
      { address: 'wallet:a', amount: 5 },
      { address: 'wallet:b', amount: 15 },
    ],
    walletFilled: 10,
    bills: [
      { bill: 'b1', way: 'pay', biller: 'biller:a', outcome: 'ok' },
      { bill: 'b2', way: 'pay', biller: 'biller:a', outcome: 'fail' },
      { bill: 'b3', way: 'later', biller: 'biller:a', outcome: 'ok' },
      { bill: 'b4', way: 'send', biller: 'biller:a', outcome: 'ok' },
      { bill: 'b5', way: 'work', biller: 'biller:a', outcome: 'ok' },
    ],
    billsStored: [
      { biller: 'biller:a', bill: 'b1', state: 'paid', times: 1 },
      { biller: 'biller:a', bill: 'b3', state: 'waiting', times: 0 },
      { biller: 'biller:a', bill: 'b5', state: 'failed', times: 1 },
    ],
    funds: [{ address: 'fund:a', amount: 7, filled: 10, payments: [{ bill: 'b1', amount: 3, times: 1 }] }],
    deadLetters: [letter('b3', 'bill.due'), letter('b4', 'bill.arrive')],
    jobs: [{ address: 'job:a', id: 'w', outcome: 'ok' }],
    works: [
      {
        ...{ address: 'job:a', id: 'w', state: 'done', ends: 1, attempt: 2, result: 'r2', failure: null },
        attempts: [1, 2],
      },
    ],
    activityCalls: [
      { address: 'job:a', id: 'w', key: 'k', attempt: 1, node: 'n1', at: 13, outcome: 'open', result: null },
      { address: 'job:a', id: 'w', key: 'k', attempt: 2, node: 'n2', at: 23, outcome: 'done', result: 'r2' },
    ],
    activityRecords: [
      { at: 12, address: 'job:a', id: 'w', attempt: 1, runner: 'i1', begun: true, suspect: false },
      { at: 22, address: 'job:a', id: 'w', attempt: 2, runner: 'i2', begun: true, suspect: false },
    ],
    crashed: new Set(),
  };
}

export function operation(at: number, endAt: number, type: 'write' | 'read', value: string): RegisterOperation {
  const action = type === 'write' ? { type, value } : { type };
  return { register: 'cell:a', shard: 3, at, action, endAt, outcome: 'ok', seen: value, swapped: null };
}

export function letter(bill: string, event: string): RuntimeEvidence['deadLetters'][number] {
  return { address: 'biller:a', id: bill, bill, event, failure: 'fund:a refused fund.take' };
}

function part(at: number, owner: string, epoch: number, actor: RuntimeEvidence['commits'][number]['actors'][number]) {
  return {
    ...{ at, node: owner, shard: 3, owner, epoch, heldBy: owner, heldEpoch: epoch },
    ...{ committed: true, actors: [actor] },
  };
}
