import { CREDENTIAL_ACCOUNT, type Credential } from '../../../actors/key/credential.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import type { RowRecord } from '../../../actors/runtime/index.ts';
import { accountAddress, keyAddress } from '../../../actors/terms/ids.ts';
import { type ListedKey, statesOf } from '../../management/list-keys.ts';
import { isQuarantined } from '../../management/services.ts';
import { type Html, html } from '../kit/html.ts';
import { statusOption } from '../kit/list/chain-order.ts';
import type { List } from '../kit/list/list.ts';
import type { PrivateVisit } from '../kit/page-route.ts';
import { badge, type TableParts } from '../kit/parts/elements.ts';
import { time, usd, usdCell } from '../kit/parts/text.ts';
import { localOf } from './names.ts';

export const KEYS_PATH = '/account/keys';
const KEY_ID = /^key_[0-9A-Za-z]{1,64}$/;

/** Keys of an account, newest first. */
export function keyList({ services, session }: PrivateVisit): List<Credential> {
  const { cluster } = services;
  const rowOf = async (id: string): Promise<RowRecord | null> => {
    if (!KEY_ID.test(id)) return null;
    const address = keyAddress(session.account, id);
    return (await cluster.rows.rows({ collection: 'credential', address, limit: 1 }))[0] ?? null;
  };
  const equals = accountAddress(session.account);
  return {
    path: KEYS_PATH,
    noun: 'keys',
    rows: { collection: 'credential', where: { column: CREDENTIAL_ACCOUNT, equals } },
    pageRows: 25,
    read: ({ body }) => JSON.parse(body) as Credential,
    timeOf: ({ createdAt }) => createdAt,
    // The row's own id is the key's digest, which no address shows.
    nameOf: ({ address }) => localOf(address),
    positionOf: async (name) => {
      const row = await rowOf(name);
      return row === null ? null : { sort: row.sort, id: row.id };
    },
    find: rowOf,
    texts: ({ name, label, key, handle }) => [name, label, localOf(key), handle],
    filters: [
      {
        name: 'status',
        title: 'Status',
        options: STATUSES.map(statusOption),
        matches: (one, value) => statusOf(one, cluster.now()) === value,
      },
      {
        name: 'may',
        title: 'May',
        options: Object.entries(MAY).map(([value, text]) => ({ value, text })),
        matches: ({ kind }, value) => kind === value,
      },
    ],
    sorts: [
      { value: 'name', text: 'By name', compare: (a, b) => a.name.localeCompare(b.name) },
      { value: 'expires', text: 'Soonest to expire', compare: (a, b) => endOf(a) - endOf(b) },
    ],
  };
}

const STATUSES = ['active', 'disabled', 'expired', 'revoked'];

function statusOf({ status, expiresAt }: Credential, now: number): string {
  return status === 'active' && expiresAt !== null && expiresAt <= now ? 'expired' : status;
}

function endOf({ expiresAt }: Credential): number {
  return expiresAt ?? Number.MAX_SAFE_INTEGER;
}

/** The keys that are shown are asked for their spend; rows decide which those are. */
export async function keyTable({ services }: PrivateVisit, credentials: readonly Credential[]): Promise<TableParts> {
  const keys = await statesOf(services, credentials);
  return {
    caption: 'Keys',
    columns: [
      'Name',
      'Key',
      'Status',
      'May',
      { number: 'Spent, month' },
      { number: 'Limit' },
      { number: 'Left' },
      'Expires (UTC)',
      'Created (UTC)',
    ],
    rows: keys.map(rowOf),
    empty: 'No key yet: create the first one above.',
  };
}

/** What a key may do, by its kind. */
export const MAY: Readonly<Record<KeyView['kind'], string>> = {
  inference: 'send requests',
  management: 'manage keys',
  provider: 'report for a provider',
};

function rowOf({ credential, state: key }: ListedKey): readonly (Html | string)[] {
  if (isQuarantined(key)) {
    const { name, label, kind, createdAt } = credential;
    return [name === '' ? label : name, label, badge('quarantined'), MAY[kind], '–', '–', '–', '–', time(createdAt)];
  }
  const { name, label, status, kind, usageMonthly, limit, limitWindow, limitRemaining, expiresAt, createdAt } = key;
  return [
    html`<a href="${KEYS_PATH}/${localOf(key.key)}">${name === '' ? label : name}</a>${key.origin !== null && html`<br><span class="hint">${key.origin}</span>`}`,
    html`<code>${label}</code>`,
    badge(status),
    MAY[kind],
    usdCell(usageMonthly),
    limit === null
      ? 'none'
      : html`${usd(limit)}${limitWindow !== null && html`<br><span class="hint">${limitWindow}</span>`}`,
    limitRemaining === null ? '–' : usdCell(limitRemaining),
    expiresAt === null ? 'never' : time(expiresAt),
    time(createdAt),
  ];
}
