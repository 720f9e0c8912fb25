import type { Generation } from '../../../actors/terms/hold.ts';
import type { Call } from '../../../gateway/simulator/call-log.ts';
import type { HistoryEntry } from './history.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';

/** A call, with the attempt of the hold under which it was made, where the workload can tell. */
export type CallSeen = Call & { readonly holdAttempt?: number };

/** Everything an audit looks at: what clients saw, what providers saw, and what the store says at the end and did say. */
export interface Evidence {
  readonly history: readonly HistoryEntry[];
  readonly calls: readonly CallSeen[];
  readonly ledger: LedgerDump;
  /** Taken while the run went on, oldest first. */
  readonly samples: readonly Sample[];
  /** What `GET /credits` answered when all was quiet, digits as they came. */
  readonly credits: readonly { readonly account: string; readonly deposited: string; readonly used: string }[];
  /** Deposits that were acknowledged to the operator. */
  readonly deposits: readonly { readonly account: string; readonly amount: string; readonly id?: string }[];
  /** Declared prices, by provider slug. */
  readonly prices: Readonly<Record<string, readonly DeclaredPrices[]>>;
  /** Display name of a provider to its slug. */
  readonly slugs: Readonly<Record<string, string>>;
  /** Commits the store refused with certainty (a full disk): the versions they would have made are never given again. */
  readonly refusedCommits?: number;
  /** How far store time and a provider's clock may differ, ms. */
  readonly clockSlackMs: number;
  /** The members below belong to runs that can see so much; their checks are made where they are given. */
  readonly keys?: readonly KeyDeclared[];
  readonly usages?: readonly KeyUsage[];
  readonly reads?: readonly AccountRead[];
  /** Incarnations that were declared dead, or left. */
  readonly ended?: ReadonlySet<string>;
  /** Releases that were acknowledged, each with what the store held of that generation in that moment. */
  readonly releases?: readonly { readonly generation: string; readonly at: number; readonly stored: string }[];
  readonly runtime?: RuntimeEvidence;
}

/** What a model costs at a provider, as declared: USD per token, and per request. */
export interface DeclaredPrices {
  readonly model: string;
  readonly prompt?: string;
  readonly completion?: string;
  readonly request?: string;
  /** Per picture of the prompt; per megapixel drawn. */
  readonly image?: string;
  readonly imageMegapixel?: string;
}

/** A key as it was made; `limit` is the highest it ever had. */
export interface KeyDeclared {
  readonly address: string;
  readonly account: string;
  readonly kind: 'inference' | 'management';
  readonly limit: string | null;
  readonly limitWindow: 'daily' | null;
}

/** What a key said of itself when all was quiet; `at` is store time, ms. */
export interface KeyUsage {
  readonly key: string;
  readonly at: number;
  readonly usage: string;
  readonly usageDaily: string;
  readonly held: string;
}

/** One look at an account over the API, by one reader; times of one clock for all readers. */
export interface AccountRead {
  readonly account: string;
  readonly shard: number;
  readonly node: string;
  readonly at: number;
  readonly endAt: number;
  readonly used: string;
  readonly deposited: string;
}

/** The store's own words about money, read in one transaction. */
export interface LedgerDump {
  readonly accounts: readonly AccountState[];
  readonly entries: readonly LedgerLine[];
  readonly generations: readonly { readonly account: string; readonly row: Generation }[];
  readonly actors: readonly { readonly address: string; readonly version: number; readonly trail: readonly number[] }[];
  /** Broken links of the hash chain, in words; found by the product's own `verifyLedger`. */
  readonly chainFaults: readonly string[];
}

export interface AccountState {
  readonly address: string;
  readonly balance: string;
  readonly held: string;
}

export interface LedgerLine {
  readonly account: string;
  readonly sequence: number;
  readonly type: 'deposit' | 'charge' | 'adjustment';
  /** Positive for every type but an adjustment, which may take away. */
  readonly amount: string;
  /** Balance after it, as recorded. */
  readonly balance: string;
  readonly generation: string | null;
  /** Natural id: generation, deposit or adjustment. */
  readonly ref: string;
}

/** One look at the store during the run, in one transaction. */
export interface Sample {
  readonly at: number;
  readonly shards: readonly { readonly shard: number; readonly owner: string | null; readonly epoch: number }[];
  readonly versions: readonly { readonly address: string; readonly version: number }[];
  readonly accounts: readonly (AccountState & {
    /** Sum of deposits minus charges, from the ledger's lines. */
    readonly fromLedger: string;
    /** Sum of the open generation rows. */
    readonly openHolds: string;
  })[];
  /** Per key of those accounts: running holds and charges, in all and since midnight, from the rows. */
  readonly keys?: readonly {
    readonly key: string;
    readonly held: string;
    readonly spent: string;
    readonly spentToday: string;
  }[];
}
