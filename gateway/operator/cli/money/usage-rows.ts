/** Sums the activity of keys for an export, in a bounded memory: what it holds at once is one key of one day. */
import type { KeyUsage } from '../../../../actors/key/usage.ts';
import { add } from '../../../../actors/terms/usd.ts';
import { csv } from '../../../terms/csv.ts';

/** What rows are kept apart by, beside the day and the account. */
export type UsageGroup = 'model' | 'key';

export interface UsageRow {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly account: string;
  readonly key?: string;
  readonly model?: string;
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly reasoning_tokens: number;
  /** Exact decimal. */
  readonly usd: string;
}

/**
 * The sums of one day by account and the given groups. Rows of one key follow each other, as the store lists them, so
 * that with `key` a sum is complete when the next key begins; without it the models of the catalogue bound the memory.
 */
export async function* usageRows(
  pages: AsyncIterable<readonly KeyUsage[]>,
  by: ReadonlySet<UsageGroup>,
): AsyncIterable<readonly UsageRow[]> {
  let sums = new Map<string, UsageRow>();
  let current: string | null = null;
  for await (const page of pages) {
    const complete: UsageRow[] = [];
    for (const row of page) {
      if (by.has('key') && row.key !== current) {
        complete.push(...sorted(sums));
        sums = new Map();
        current = row.key;
      }
      addTo(sums, row, by);
    }
    if (complete.length > 0) yield complete;
  }
  if (sums.size > 0) yield sorted(sums);
}

function addTo(sums: Map<string, UsageRow>, row: KeyUsage, by: ReadonlySet<UsageGroup>): void {
  const name = [row.account, by.has('key') ? row.key : '', by.has('model') ? row.model : ''].join(' ');
  const sum = sums.get(name);
  sums.set(name, {
    day: new Date(row.day).toISOString().slice(0, 10),
    account: row.account,
    ...(by.has('key') ? { key: row.key.slice(row.key.indexOf('/') + 1) } : {}),
    ...(by.has('model') ? { model: row.model } : {}),
    requests: (sum?.requests ?? 0) + row.requests,
    prompt_tokens: (sum?.prompt_tokens ?? 0) + row.promptTokens,
    completion_tokens: (sum?.completion_tokens ?? 0) + row.completionTokens,
    reasoning_tokens: (sum?.reasoning_tokens ?? 0) + row.reasoningTokens,
    usd: add(sum?.usd ?? '0', row.usage),
  });
}

function sorted(sums: ReadonlyMap<string, UsageRow>): readonly UsageRow[] {
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** The columns of a row with these groups, in their order. */
export function usageColumns(by: ReadonlySet<UsageGroup>): readonly (keyof UsageRow)[] {
  const groups = (['key', 'model'] as const).filter((group) => by.has(group));
  return [
    ...(['day', 'account'] as const),
    ...groups,
    ...(['requests', 'prompt_tokens', 'completion_tokens', 'reasoning_tokens', 'usd'] as const),
  ];
}

export function usageCsv(rows: readonly UsageRow[], columns: readonly (keyof UsageRow)[]): string {
  return csv(rows.map((row) => columns.map((name) => String(row[name] ?? ''))));
}
