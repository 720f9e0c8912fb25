/** What a run tells of the runtime itself, beside the money: commits as the store saw them, and what actors answered. */
export interface RuntimeEvidence {
  readonly commits: readonly CommitPart[];
  readonly moves: readonly ShardMove[];
  /** How long a node without contact goes on answering looks, ms. */
  readonly readLeaseMs: number;
  /** How far a node's idea of store time may be off: half the way of its slowest heartbeat, ms. */
  readonly timeSlackMs: number;
  /** The versions in the trail of each actor, at the end. */
  readonly trails: readonly { readonly address: string; readonly versions: readonly number[] }[];
  readonly registers: readonly RegisterOperation[];
  readonly additions: readonly AdditionAsked[];
  /** What the store holds of the additions at the end. */
  readonly tallies: readonly TallyStored[];
  readonly alarms: readonly AlarmAsked[];
  readonly clockworks: readonly AlarmStored[];
  /** Everything that was shown to somebody, beside what was stored in that moment. */
  readonly shown: readonly Shown[];
  readonly purses: readonly PurseSum[];
  readonly transfers: readonly TransferAsked[];
  readonly received: readonly TransferReceived[];
  readonly wallets: readonly WalletStored[];
  /** What every wallet was filled with. */
  readonly walletFilled: number;
  readonly bills: readonly BillAsked[];
  readonly billsStored: readonly BillStored[];
  readonly funds: readonly FundStored[];
  /** Dead letters of billers at the end. */
  readonly deadLetters: readonly DeadLetterStored[];
  readonly jobs: readonly JobAsked[];
  readonly works: readonly JobStored[];
  readonly performed: readonly PerformedCall[];
  /** Every state of an intent that became durable, in the order of their commits. */
  readonly intents: readonly IntentSeen[];
  /** Incarnations that somebody saw die by their own hand. */
  readonly ownHand: ReadonlySet<string>;
}

/** One shard's part of one commit, beside what the store held in that moment. */
export interface CommitPart {
  readonly at: number;
  readonly node: string;
  readonly shard: number;
  /** As the writer believed, and as it was. */
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
  /** Epoch it had before. */
  readonly from: number;
}

/** One operation on a register. `endAt` is null when nobody heard how it ended. */
export interface RegisterOperation {
  readonly register: string;
  readonly shard: number;
  readonly at: number;
  readonly action:
    | { readonly type: 'read' }
    | { readonly type: 'write'; readonly value: string }
    | { readonly type: 'swap'; readonly expect: string | null; readonly value: string };
  endAt: number | null;
  /** `fail`: certainly had no effect. */
  outcome: 'ok' | 'fail' | 'unknown';
  /** Value shown behind the operation, when it was answered. */
  seen: string | null;
  swapped: boolean | null;
}

export interface AdditionAsked {
  readonly address: string;
  readonly op: string;
  readonly by: number;
  /** `ok` when any of its sendings was acknowledged, `fail` when all certainly had no effect. */
  outcome: 'ok' | 'fail' | 'unknown';
}

export interface TallyStored {
  readonly address: string;
  readonly total: number;
  readonly additions: readonly { readonly op: string; readonly by: number; readonly times: number }[];
}

export interface AlarmAsked {
  readonly address: string;
  readonly name: string;
  set: 'ok' | 'fail' | 'unknown';
  cancel: 'none' | 'ok' | 'fail' | 'unknown';
}

export interface AlarmStored {
  readonly address: string;
  readonly name: string;
  readonly dueAt: number;
  readonly rings: number;
  readonly rangAt: number | null;
  readonly cancelled: boolean;
}

/** A count somebody saw of an actor, and the count that was durable then. */
export interface Shown {
  readonly at: number;
  readonly what: string;
  readonly address: string;
  readonly count: number;
  readonly stored: number;
}

/** What the purses of one owner hold together, after a commit; transfers must leave it as it was. */
export interface PurseSum {
  readonly at: number;
  readonly owner: string;
  readonly sum: number;
  readonly expected: number;
}

/** A transfer between wallets of different owners; `fail`: certainly not sent. */
export interface TransferAsked {
  readonly transfer: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  outcome: 'ok' | 'fail' | 'unknown';
}

export interface TransferReceived {
  readonly transfer: string;
  readonly from: string;
  readonly to: string;
  /** Its number among all that its sender sent. */
  readonly number: number;
  readonly amount: number;
  readonly times: number;
  /** Its place among all that its receiver got. */
  readonly order: number;
}

export interface WalletStored {
  readonly address: string;
  readonly amount: number;
}

/** A bill and the biller that books it; `fail`: certainly not taken. */
export interface BillAsked {
  readonly bill: string;
  readonly way: 'pay' | 'later' | 'work' | 'send';
  readonly biller: string;
  outcome: 'ok' | 'fail' | 'unknown';
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

export interface JobAsked {
  readonly address: string;
  readonly id: string;
  outcome: 'ok' | 'fail' | 'unknown';
}

export interface JobStored {
  readonly address: string;
  readonly id: string;
  readonly state: 'running' | 'done' | 'failed' | 'lapsed';
  /** How often its actor was told of an end. */
  readonly ends: number;
  readonly attempt: number | null;
  readonly result: string | null;
  readonly failure: string | null;
}

/** One call of a performer. */
export interface PerformedCall {
  readonly address: string;
  readonly id: string;
  readonly key: string;
  readonly attempt: number;
  readonly node: string;
  readonly at: number;
  outcome: 'open' | 'done' | 'failed';
  result: string | null;
}

export interface IntentSeen {
  readonly at: number;
  readonly address: string;
  readonly id: string;
  readonly attempt: number;
  readonly runner: string;
  readonly suspect: boolean;
}
