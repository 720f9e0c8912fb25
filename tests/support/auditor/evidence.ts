import type { LedgerOpening } from '../../../actors/account/prune-ledger.ts';
import type { Generation } from '../../../actors/terms/hold.ts';
import type { KeyKind } from '../../../actors/terms/principal.ts';
import type { Call } from '../../../gateway/simulator/calls/call-log.ts';
import type { BatchEvidence } from './batch-evidence.ts';
import type { FileEvidence } from './file-evidence.ts';
import type { HistoryEntry } from './history.ts';
import type { KeyEvidence } from './key-evidence.ts';
import type { PaymentEvidence } from './payment-evidence.ts';
import type { RuntimeEvidence } from './runtime-evidence.ts';
import type { VideoEvidence } from './video-evidence.ts';

/** A call, with the attempt of its hold if the workload records it. */
export type CallSeen = Call & { readonly holdAttempt?: number };

/**
 * The input of an audit: the history of the clients, the logs of the providers, and the store during and after the run.
 */
export interface Evidence {
  readonly history: readonly HistoryEntry[];
  readonly calls: readonly CallSeen[];
  readonly ledger: LedgerDump;
  /** Taken during the run, oldest first. */
  readonly samples: readonly Sample[];
  /** The answers of `GET /credits` once the run is quiet, with unchanged digits. */
  readonly credits: readonly { readonly account: string; readonly deposited: string; readonly used: string }[];
  /** Acknowledged deposits. */
  readonly deposits: readonly { readonly account: string; readonly amount: string; readonly id?: string }[];
  /** Declared prices, by provider slug. */
  readonly prices: Readonly<Record<string, readonly DeclaredPrices[]>>;
  /** Display name of a provider to its slug. */
  readonly slugs: Readonly<Record<string, string>>;
  /** Commits that the store certainly refused (a full disk): their versions are never used again. */
  readonly refusedCommits?: number;
  /** Maximum difference between store time and a provider's clock, ms. */
  readonly clockSlackMs: number;
  /** Only some runs supply the members below; their checks run if they are present. */
  readonly keys?: readonly KeyDeclared[];
  readonly usages?: readonly KeyUsage[];
  readonly reads?: readonly AccountRead[];
  /** Some requests of the run have no name, and are not in the history. */
  readonly isPartlyUnnamed?: true;
  /** How far reads may lag, ms, where the run does not know which nodes answered; absent: 0. */
  readonly readsLagMs?: number;
  /** Incarnations that were marked dead or left. */
  readonly ended?: ReadonlySet<string>;
  /** Acknowledged releases, each with the stored status of its generation at that moment. */
  readonly releases?: readonly { readonly generation: string; readonly at: number; readonly stored: string }[];
  readonly runtime?: RuntimeEvidence;
  readonly files?: FileEvidence;
  readonly batches?: BatchEvidence;
  readonly videos?: VideoEvidence;
  readonly keyChanges?: KeyEvidence;
  readonly payments?: PaymentEvidence;
}

/** The declared prices of a model at a provider: USD per token, and per request. */
export interface DeclaredPrices {
  readonly model: string;
  readonly prompt?: string;
  readonly completion?: string;
  readonly request?: string;
  /** Per picture of the prompt; per generated megapixel. */
  readonly image?: string;
  readonly imageMegapixel?: string;
}

/** A key as created; `limit` is its highest limit. */
export interface KeyDeclared {
  readonly address: string;
  readonly account: string;
  readonly kind: KeyKind;
  readonly limit: string | null;
  readonly limitWindow: 'daily' | null;
}

/** The usage reported by a key once the run is quiet; `at` is store time, ms. */
export interface KeyUsage {
  readonly key: string;
  readonly at: number;
  readonly usage: string;
  readonly usageDaily: string;
  /** Absent where it is not reported. */
  readonly held?: string;
}

/** One read of an account over the API; all readers share one clock. */
export interface AccountRead {
  readonly account: string;
  readonly shard: number;
  readonly node: string;
  readonly at: number;
  readonly endAt: number;
  readonly used: string;
  readonly deposited: string;
}

/** The money in the store, read in one transaction. */
export interface LedgerDump {
  readonly accounts: readonly AccountState[];
  readonly entries: readonly LedgerLine[];
  /** The newest opening of each account from whose ledger entries were removed. */
  readonly openings: readonly LedgerOpening[];
  readonly generations: readonly { readonly account: string; readonly row: Generation }[];
  readonly actors: readonly {
    readonly address: string;
    readonly version: number;
    readonly transitionLog: readonly number[];
  }[];
  /** Descriptions of broken links of the hash chain, from the product's own `verifyLedger`. */
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
  /** Positive for every type but an adjustment, which may be negative. */
  readonly amount: string;
  /** Balance after it, as recorded. */
  readonly balance: string;
  readonly generation: string | null;
  /** Natural id: generation, deposit or adjustment. */
  readonly ref: string;
}

/** One read of the store during the run, in one transaction. */
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
  /** Per key of those accounts: running holds, and charges in total and since midnight, from the rows. */
  readonly keys?: readonly {
    readonly key: string;
    readonly held: string;
    readonly spent: string;
    readonly spentToday: string;
  }[];
}
