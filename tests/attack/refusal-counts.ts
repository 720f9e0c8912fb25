/** Refusals for overload by the time that they took, as the nodes count them. */
export class RefusalCounts {
  readonly #atMost: readonly Bucket[];

  constructor(atMost: readonly Bucket[]) {
    this.#atMost = atMost;
  }

  get total(): number {
    return this.#atMost.at(-1)?.count ?? 0;
  }

  /** The least bound that 99 % of them keep, ms; 0 without any. */
  get p99Ms(): number {
    const { total } = this;
    return this.#atMost.find(({ count }) => count >= total * 0.99)?.ms ?? 0;
  }

  and(other: RefusalCounts): RefusalCounts {
    if (this.#atMost.length === 0) return other;
    return new RefusalCounts(this.#atMost.map(({ ms, count }, at) => ({ ms, count: count + other.#count(at) })));
  }

  since(before: RefusalCounts): RefusalCounts {
    return new RefusalCounts(
      this.#atMost.map(({ ms, count }, at) => ({ ms, count: Math.max(0, count - before.#count(at)) })),
    );
  }

  #count(at: number): number {
    return this.#atMost[at]?.count ?? 0;
  }
}

/** Answers of at most `ms`; the last bucket has all. */
interface Bucket {
  readonly ms: number;
  readonly count: number;
}

/** The counts of one node, from its metrics. */
export async function refusalCounts(operatorUrl: string, token: string): Promise<RefusalCounts> {
  const answer = await fetch(`${operatorUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  const lines = text.matchAll(/^troupe_request_shed_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm);
  return new RefusalCounts(
    [...lines].map(([, le, count]) => ({ ms: Number(le?.replace('+Inf', 'Infinity')) * 1_000, count: Number(count) })),
  );
}
