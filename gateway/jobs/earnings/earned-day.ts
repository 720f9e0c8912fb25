/**
 * The charges of one UTC day, by endpoint: sums over the usage rows that the settle commits wrote. The rows of a day
 * sum to the ledger's charges of that day, so these do too.
 */

import { type KeyUsage, USAGE, usageOfAll } from '../../../actors/key/usage.ts';
import type { Earning } from '../../../actors/provider/earnings.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import type { ProviderFacts } from '../../../actors/terms/endpoint.ts';
import { addUnits } from '../../../actors/terms/usage.ts';
import { add, chargeOf, subtract } from '../../../actors/terms/usd.ts';
import type { EndpointOwners } from './endpoint-owners.ts';

export const DAY_MS = 86_400_000;

/** The charges of one endpoint, before the marketplace's part is taken. */
type Charged = Omit<Earning, 'fee' | 'net'>;

/** By the slug of the provider. */
export type ChargedDay = ReadonlyMap<string, readonly Charged[]>;

/**
 * Reads the charges of one day; `day` is the store time at which it began, ms. Throws where the store or an endpoint
 * cannot be reached.
 */
export async function chargedOn(
  cluster: Pick<Cluster, 'rows'>,
  owners: EndpointOwners,
  day: number,
): Promise<ChargedDay> {
  const byProvider = new Map<string, Charged[]>();
  for (const charged of await sumsOf(cluster, day)) {
    const slug = await owners.of(charged.endpoint);
    const others = byProvider.get(slug ?? '');
    if (others) others.push(charged);
    else byProvider.set(slug ?? '', [charged]);
  }
  return byProvider;
}

async function sumsOf(cluster: Pick<Cluster, 'rows'>, day: number): Promise<readonly Charged[]> {
  const sums = new Map<string, Charged>();
  for await (const page of usageOfAll(cluster, day)) {
    for (const row of page) {
      const name = `${row.endpoint} ${row.model}`;
      sums.set(name, withRow(sums.get(name), row));
    }
  }
  return [...sums.values()];
}

/** The first day with a charge of any account; null before the first charge. */
export async function firstChargedDay({ rows }: Pick<Cluster, 'rows'>): Promise<number | null> {
  const [row] = await rows.rows({ collection: USAGE, limit: 1 });
  return row === undefined ? null : (JSON.parse(row.body) as KeyUsage).day;
}

function withRow(before: Charged | undefined, row: KeyUsage): Charged {
  const { day, endpoint, model } = row;
  const units = addUnits(before?.units, row.units);
  const unpriced = (before?.unpriced ?? 0) + (row.unpriced ?? 0);
  return {
    day,
    endpoint,
    model,
    requests: (before?.requests ?? 0) + row.requests,
    promptTokens: (before?.promptTokens ?? 0) + row.promptTokens,
    completionTokens: (before?.completionTokens ?? 0) + row.completionTokens,
    reasoningTokens: (before?.reasoningTokens ?? 0) + row.reasoningTokens,
    ...(units === undefined ? {} : { units }),
    ...(unpriced === 0 ? {} : { unpriced }),
    gross: add(before?.gross ?? '0', row.usage),
  };
}

/** The part of one provider. The fee is floored once per endpoint and day, and the net is what it leaves. */
export function earnedBy(
  { slug, feeFraction = '0' }: Pick<ProviderFacts, 'slug' | 'feeFraction'>,
  charged: ChargedDay,
): readonly Earning[] {
  return [...(charged.get(slug) ?? [])]
    .map((one) => {
      const fee = chargeOf([{ rate: one.gross, units: feeFraction }]);
      return { ...one, fee, net: subtract(one.gross, fee) };
    })
    .sort((a, b) => (a.endpoint < b.endpoint ? -1 : 1));
}
