/** What a key may spend, what it spent today, and what its running requests hold. */
import type { KeyState, KeyStatus } from '../../../actors/key/key-state.ts';
import { keyView } from '../../../actors/key/statement.ts';
import type { KeyUsage } from '../../../actors/key/usage.ts';
import type { Cluster, Inspection } from '../../../actors/runtime/index.ts';
import { endpointAddress, workspaceAddress } from '../../../actors/terms/ids.ts';
import { windowStart } from '../../../actors/terms/spending.ts';
import { pageOf, walked } from '../http/pages.ts';
import { findGenerations } from '../lists/find-generations.ts';
import { PLACE } from '../lists/walk.ts';
import { columnsOf, factsOf, type KindTab, type KindTabView, type TabAsked, tableOf } from './kind-tab.ts';

export const keyLimits: KindTab = { name: 'Limits and use', read };

async function read(cluster: Cluster, found: Inspection, asked: TabAsked): Promise<KindTabView> {
  const { address, context, state, rows } = found;
  const key = keyView(context as unknown as KeyState, state as KeyStatus, cluster.now());
  const running = await findGenerations(cluster, { key: address, status: 'running' }, pageOf(asked, PLACE));
  const holds = walked(
    running.found.map(({ row: { generation, createdAt, amount, deadlineAt, model, endpoint } }) => [
      generation,
      createdAt,
      amount,
      deadlineAt,
      model,
      endpointAddress(endpoint),
    ]),
    running.next,
  );
  const columns = {
    Generation: 'generation',
    'Since (UTC)': 'time',
    'Held and would release': 'usd',
    'Releases by itself (UTC)': 'time',
    Model: 'text',
    Endpoint: 'actor',
  } as const;
  const open = { title: 'Open holds', empty: 'No request of this key is running', columns: columnsOf(columns) };
  return {
    facts: factsOfKey(key),
    tables: [
      usedToday(rows, windowStart('daily', cluster.now())),
      { ...open, rows: [...holds.data], next: holds.next },
    ],
  };
}

function factsOfKey(key: ReturnType<typeof keyView>) {
  return factsOf([
    ['Status', 'state', key.status],
    ['Account', 'actor', key.account],
    ['Workspace', 'actor', key.workspace && workspaceAddress(key.account.slice('account:'.length), key.workspace)],
    ['Kind', 'text', key.kind],
    ['Limit', 'usd', key.limit],
    ['Window of the limit', 'text', key.limit === null ? null : (key.limitWindow ?? 'its whole life')],
    ['Left of the limit', 'usd', key.limitRemaining],
    ['Limit resets (UTC)', 'time', key.limitResetAt],
    ['Held by running requests', 'usd', key.held],
    ['Charged today', 'usd', key.usageDaily],
    ['This week', 'usd', key.usageWeekly],
    ['This month', 'usd', key.usageMonthly],
    ['In all', 'usd', key.usage],
    ['Own bound per minute', 'number', key.perMinute],
    ['Expires (UTC)', 'time', key.expiresAt],
    ['Last change (UTC)', 'time', key.updatedAt],
  ]);
}

/** The rows of the running day are open rows of the key. */
function usedToday({ usage = [] }: Inspection['rows'], today: number) {
  const rows = usage.map(({ body }) => body as unknown as KeyUsage).filter(({ day }) => day === today);
  return tableOf(
    'Use today (UTC)',
    'Nothing was charged today',
    { Model: 'text', Endpoint: 'actor', Requests: 'number', Prompt: 'number', Completion: 'number', Charged: 'usd' },
    rows.map((row) => [
      row.model,
      endpointAddress(row.endpoint),
      row.requests,
      row.promptTokens,
      row.completionTokens,
      row.usage,
    ]),
  );
}
