/**
 * Checks: small requests that nodes send to the endpoints they own, to verify what these declare. The operator pays
 * what the provider charges for them; no account is charged. Times in ms.
 */
export interface CheckLimits {
  readonly enabled: boolean;
  /** How often a node looks for due checks: the least time between two checks of one provider. */
  readonly lookEveryMs: number;
  /** Between two runs of a check that passed; below 24 hours, so that its finding does not expire in between. */
  readonly everyMs: number;
  /** Between two runs of a check that failed or was inconclusive. */
  readonly againMs: number;
  /** First checks are spread over this time. */
  readonly firstWithinMs: number;
  /** Limit for one whole answer. */
  readonly timeoutMs: number;
  readonly completionTokensMax: number;
}

/** Benchmark runs: data sets that nodes put to the endpoints they own. The operator pays for them. Times in ms. */
export interface BenchmarkLimits {
  /** Files of data sets, relative to the configuration; read once, when the node starts. Empty: no runs. */
  readonly datasets: readonly string[];
  readonly lookEveryMs: number;
  /** Between two runs of one data set against one endpoint. */
  readonly everyMs: number;
  /** After a run without a score. */
  readonly againMs: number;
  /** Limit for one whole answer. */
  readonly timeoutMs: number;
  readonly completionTokensMax: number;
}
