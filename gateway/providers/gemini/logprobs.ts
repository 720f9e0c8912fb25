type Members = Readonly<Record<string, unknown>>;

interface Score {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

/** The scores of a `logprobsResult` as entries of chat completions; null where there are none. */
export function logprobsOf(result: unknown): readonly unknown[] | null {
  const { chosenCandidates: chosen, topCandidates: top } = (result ?? {}) as Members;
  if (!Array.isArray(chosen)) return null;
  return chosen.flatMap((candidate, at) => {
    const score = scoreOf(candidate);
    const others = Array.isArray(top) ? (top[at] as Members | null | undefined)?.candidates : null;
    const alternatives = Array.isArray(others) ? others.flatMap((other) => scoreOf(other) ?? []) : [];
    return score === null ? [] : [{ ...score, top_logprobs: alternatives }];
  });
}

function scoreOf(candidate: unknown): Score | null {
  const { token, logProbability } = (candidate ?? {}) as Members;
  if (typeof token !== 'string' || typeof logProbability !== 'number') return null;
  return { token, logprob: logProbability, bytes: [...Buffer.from(token)] };
}
