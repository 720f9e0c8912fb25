import type { Generation } from './hold.ts';

/** What one charge adds to the activity of its key, beside its cost. Sent with the charge. */
export interface ActivityPart {
  /** Address of the key. */
  readonly key: string;
  /** Store time of the ledger entry, ms: the day is the ledger's. */
  readonly at: number;
  readonly model: string;
  /** Endpoint id and the provider's display name. */
  readonly endpoint: string;
  readonly provider: string;
  /** Id of the workspace in which the money was held; absent: the default one of the account. */
  readonly workspace?: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/** What a charged generation adds. Counts that nobody reported add nothing. */
export function activityPart(generation: Generation, at: number): ActivityPart {
  const { key, model, endpoint, provider, settlement, workspace } = generation;
  return {
    ...{ key, at, model, endpoint, provider },
    ...(workspace === undefined ? {} : { workspace }),
    promptTokens: settlement?.promptTokens ?? 0,
    completionTokens: settlement?.completionTokens ?? 0,
    reasoningTokens: settlement?.reasoningTokens ?? 0,
  };
}
