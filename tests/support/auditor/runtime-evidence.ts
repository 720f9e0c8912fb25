/** The evidence of a run about the runtime itself: the commits of the store and the answers of actors. */
export interface RuntimeEvidence {
  readonly commits: readonly CommitPart[];
  readonly moves: readonly ShardMove[];
  /** How long a node without contact keeps answering reads, ms. */
  readonly readLeaseMs: number;
  /** Maximum error of a node's estimate of store time: half the round trip of its slowest heartbeat, ms. */
  readonly timeSlackMs: number;
  /** The versions in the transition log of each actor, at the end. */
  readonly transitionLogs: readonly { readonly address: string; readonly versions: readonly number[] }[];
  readonly registers: readonly RegisterOperation[];
  readonly additions: readonly AdditionRequested[];
  /** The stored additions at the end. */
  readonly tallies: readonly TallyStored[];
  readonly alarms: readonly AlarmRequested[];
  readonly clockworks: readonly AlarmStored[];
  /** Every visible count, with the stored count at that moment. */
  readonly shown: readonly Shown[];
  readonly purses: readonly PurseSum[];
  readonly transfers: readonly TransferRequested[];
  readonly received: readonly TransferReceived[];
  readonly wallets: readonly WalletStored[];
  /** The initial amount of every wallet. */
  readonly walletFilled: number;
  readonly bills: readonly BillRequested[];
  readonly billsStored: readonly BillStored[];
  readonly funds: readonly FundStored[];
  /** Dead letters of billers at the end. */
  readonly deadLetters: readonly DeadLetterStored[];
  readonly jobs: readonly JobRequested[];
  readonly works: readonly JobStored[];
  readonly activityCalls: readonly ActivityCall[];
  /** Every durable state of an activity record, in commit order. */
  readonly activityRecords: readonly ActivityRecordSeen[];
  /** Incarnations that were observed to crash. */
  readonly crashed: ReadonlySet<string>;
}

/** How a request ended for its sender; `fail`: it certainly had no effect. */
export type Outcome = 'ok' | 'fail' | 'unknown';

/** One shard's part of one commit, with the stored ownership at that moment. */
export interface CommitPart {
  readonly at: number;
  readonly node: string;
  readonly shard: number;
  /** `owner` and `epoch` as the writer assumed, `heldBy` and `heldEpoch` as stored. */
  readonly owner: string;
  readonly epoch: number;
  readonly heldBy: string | null;
  readonly heldEpoch: number;
  readonly committed: boolean;
  readonly actors: readonly {
    readonly address: string;
    readonly expected: number;
    readonly written: number;
    readonly before: number;
    readonly after: number;
  }[];
}

export interface ShardMove {
  readonly at: number;
  readonly shard: number;
  readonly owner: string | null;
  readonly epoch: number;
  /** The previous epoch. */
  readonly from: number;
}

/** One operation on a register. `endAt` is null if the outcome is unknown. */
export interface RegisterOperation {
  readonly register: string;
  readonly shard: number;
  readonly at: number;
  readonly action:
    | { readonly type: 'read' }
    | { readonly type: 'write'; readonly value: string }
    | { readonly type: 'swap'; readonly expect: string | null; readonly value: string };
  endAt: number | null;
  outcome: Outcome;
  /** The value after the operation, if it was answered. */
  seen: string | null;
  swapped: boolean | null;
}

export interface AdditionRequested {
  readonly address: string;
  readonly op: string;
  readonly by: number;
  /** `ok` if any of its sends was acknowledged, `fail` if all certainly had no effect. */
  outcome: Outcome;
}

export interface TallyStored {
  readonly address: string;
  readonly total: number;
  readonly additions: readonly { readonly op: string; readonly by: number; readonly times: number }[];
}

export interface AlarmRequested {
  readonly address: string;
  readonly name: string;
  set: Outcome;
  cancel: 'none' | Outcome;
}

export interface AlarmStored {
  readonly address: string;
  readonly name: string;
  readonly dueAt: number;
  readonly rings: number;
  readonly rangAt: number | null;
  readonly cancelled: boolean;
}

/** A visible count of an actor, and the durable count at that moment. */
export interface Shown {
  readonly at: number;
  readonly what: string;
  readonly address: string;
  readonly count: number;
  readonly stored: number;
}

/** The total of the purses of one owner after a commit; transfers must not change it. */
export interface PurseSum {
  readonly at: number;
  readonly owner: string;
  readonly sum: number;
  readonly expected: number;
}

/** A transfer between wallets of different owners. */
export interface TransferRequested {
  readonly transfer: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  outcome: Outcome;
}

export interface TransferReceived {
  readonly transfer: string;
  readonly from: string;
  readonly to: string;
  /** Its sequence number among all transfers of its sender. */
  readonly number: number;
  readonly amount: number;
  readonly times: number;
  /** Its position among all transfers that its receiver got. */
  readonly order: number;
}

export interface WalletStored {
  readonly address: string;
  readonly amount: number;
}

/** A bill and the clerk that books it. */
export interface BillRequested {
  readonly bill: string;
  readonly way: 'pay' | 'later' | 'work' | 'send';
  readonly biller: string;
  outcome: Outcome;
}

export interface BillStored {
  readonly biller: string;
  readonly bill: string;
  readonly state: 'waiting' | 'paid' | 'failed';
  /** How often it ended. */
  readonly times: number;
}

export interface FundStored {
  readonly address: string;
  readonly amount: number;
  readonly filled: number;
  readonly payments: readonly { readonly bill: string; readonly amount: number; readonly times: number }[];
}

export interface DeadLetterStored {
  readonly address: string;
  readonly id: string;
  readonly bill: string;
  readonly event: string;
  readonly failure: string;
}

export interface JobRequested {
  readonly address: string;
  readonly id: string;
  outcome: Outcome;
}

export interface JobStored {
  readonly address: string;
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed' | 'lapsed' | 'cancelled';
  /** How often its actor received an end. */
  readonly ends: number;
  readonly attempt: number | null;
  readonly result: string | null;
  readonly failure: string | null;
  /** The attempts that its actor knows of. */
  readonly attempts: readonly number[];
}

/** One call of an activity handler. */
export interface ActivityCall {
  readonly address: string;
  readonly id: string;
  readonly key: string;
  readonly attempt: number;
  readonly node: string;
  readonly at: number;
  outcome: 'open' | 'done' | 'failed';
  result: string | null;
}

export interface ActivityRecordSeen {
  readonly at: number;
  readonly address: string;
  readonly id: string;
  readonly attempt: number;
  readonly runner: string;
  readonly begun: boolean;
  readonly suspect: boolean;
}
