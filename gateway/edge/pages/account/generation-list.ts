import type { Cluster } from '../../../../actors/runtime/index.ts';
import type { Generation } from '../../../../actors/terms/hold.ts';
import { accountAddress } from '../../../../actors/terms/ids.ts';
import { type Html, html } from '../html.ts';
import { badge, table } from '../parts/elements.ts';
import { countText, durationText, generationLink, time, usdCell } from '../parts/text.ts';

interface ListQuery {
  readonly limit: number;
  /** Continues after this generation; null begins. */
  readonly after: string | null;
}

export interface GenerationPage {
  readonly generations: readonly Generation[];
  readonly hasMore: boolean;
}

/** Generations of an account, newest first. An unknown `after` begins anew. */
export async function newestGenerations(
  cluster: Pick<Cluster, 'rows'>,
  account: string,
  { limit, after }: ListQuery,
): Promise<GenerationPage> {
  const address = accountAddress(account);
  const last = after === null ? null : await cluster.rows.row(address, 'generation', after);
  const rows = await cluster.rows.rows({
    ...{ collection: 'generation', address, order: 'descending', limit: limit + 1 },
    ...(last === null ? {} : { after: { sort: last.sort, id: last.id } }),
  });
  const found = rows.map(({ body }) => JSON.parse(body) as Generation);
  return { generations: found.slice(0, limit), hasMore: found.length > limit };
}

export function generationTable(generations: readonly Generation[]): Html {
  return table({
    caption: 'Generations, newest first',
    columns: [
      ...['Time (UTC)', 'Generation', 'Model', 'Provider', 'Outcome'],
      ...[{ number: 'Prompt' }, { number: 'Completion' }, { number: 'Time' }, { number: 'USD' }],
    ],
    rows: generations.map(rowOf),
    empty: html`No request yet. <a href="/account/keys">Create a key</a> and send the first one.`,
  });
}

function rowOf(generation: Generation): readonly (string | Html)[] {
  const { settlement, release } = generation;
  const total = settlement?.generationMs ?? release?.totalMs ?? null;
  return [
    time(generation.createdAt),
    generationLink(generation.generation),
    generation.model,
    generation.provider,
    outcomeBadge(generation),
    countOf(settlement?.promptTokens),
    countOf(settlement?.completionTokens),
    total === null ? '–' : durationText(total),
    settlement === null ? '–' : usdCell(settlement.cost),
  ];
}

function countOf(count: number | null | undefined): string {
  return count === null || count === undefined ? '–' : countText(count);
}

/** Charged, running, or why it was not charged. */
export function outcomeBadge({ status, release }: Generation): Html {
  if (status !== 'released') return badge(status);
  return release === null
    ? badge('released')
    : html`${badge('failed')} <span class="hint">${release.status ?? ''}</span>`;
}
