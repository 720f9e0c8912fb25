import type { Generation } from '../../../actors/terms/hold.ts';
import { accountAddress, keyAddress } from '../../../actors/terms/ids.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { GENERATION_ID_CHARACTERS_MAX } from '../../management/generations.ts';
import { type Html, html } from '../kit/html.ts';
import type { List } from '../kit/list/list.ts';
import type { PrivateVisit } from '../kit/page-route.ts';
import { badge, type TableParts } from '../kit/parts/elements.ts';
import type { Option } from '../kit/parts/fields.ts';
import { countText, durationText } from '../kit/parts/format.ts';
import { time, usdCell } from '../kit/parts/text.ts';
import { chatBody, emptyList } from './empty-list.ts';
import { type Names, namesOf } from './names.ts';

const COLLECTION = 'generation';
const PATH = '/account/generations';

/** Requests of an account, newest first. `keys` are the choices of its filter. */
export function generationList({ services, session }: PrivateVisit, keys: readonly Option[] = []): List<Generation> {
  const { rows } = services.cluster;
  const address = accountAddress(session.account);
  const find: List<Generation>['find'] = async (id) =>
    id.length > GENERATION_ID_CHARACTERS_MAX ? null : rows.row(address, COLLECTION, id);
  return {
    path: PATH,
    noun: 'requests',
    rows: { collection: COLLECTION, address },
    pageRows: 25,
    read: ({ body }) => JSON.parse(body) as Generation,
    timeOf: ({ createdAt }) => createdAt,
    nameOf: ({ id }) => id,
    positionOf: async (name) => {
      const row = await rows.row(address, COLLECTION, name);
      return row === null ? null : { sort: row.sort, id: row.id };
    },
    find,
    texts: (one) => [one.generation, one.model, one.provider, one.appTitle, one.appUrl, one.sessionId, one.user],
    filters: [
      {
        name: 'outcome',
        title: 'Outcome',
        options: OUTCOMES,
        matches: ({ status }, value) => status === value,
      },
      {
        name: 'key',
        title: 'Key',
        options: keys,
        matches: ({ key }, value) => key === keyAddress(session.account, value),
      },
    ],
    sorts: [
      { value: 'cost', text: 'Dearest first', compare: (a, b) => compare(costOf(b), costOf(a)) },
      { value: 'time', text: 'Slowest first', compare: (a, b) => (totalMsOf(b) ?? -1) - (totalMsOf(a) ?? -1) },
      { value: 'tokens', text: 'Most tokens first', compare: (a, b) => tokensOf(b) - tokensOf(a) },
    ],
  };
}

const OUTCOMES: readonly Option[] = [
  { value: 'settled', text: 'Completed' },
  { value: 'released', text: 'Failed' },
  { value: 'running', text: 'Running' },
];

function costOf({ settlement }: Generation): string {
  return settlement?.cost ?? '0';
}

function totalMsOf({ settlement, release }: Generation): number | null {
  return settlement?.generationMs ?? release?.totalMs ?? null;
}

function tokensOf({ settlement }: Generation): number {
  return (settlement?.promptTokens ?? 0) + (settlement?.completionTokens ?? 0);
}

/** The table of some of them. */
export async function generationTable(visit: PrivateVisit, generations: readonly Generation[]): Promise<TableParts> {
  const names = await namesOf(
    visit,
    generations.map(({ key }) => key),
  );
  return {
    caption: 'Requests',
    columns: [
      'Model',
      'Time (UTC)',
      'Provider',
      'Key',
      'Outcome',
      { number: 'Prompt' },
      { number: 'Completion' },
      { number: 'Took' },
      { number: 'USD' },
    ],
    rows: generations.map((generation) => rowOf(generation, names)),
    empty: emptyList(
      visit,
      html`No request yet. <a href="/account/keys#name">Create a key</a> and send the first one:`,
      {
        path: '/chat/completions',
        members: chatBody(visit),
      },
    ),
  };
}

function rowOf(generation: Generation, names: Names): readonly (string | Html)[] {
  const { settlement } = generation;
  const total = totalMsOf(generation);
  return [
    html`<a href="${PATH}/${generation.generation}" title="${generation.generation}">${generation.model}</a>`,
    time(generation.createdAt),
    generation.provider,
    names.key(generation.key),
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

/** Completed or cancelled (both are charged), running, or why it was not charged. The words are those of the console. */
export function outcomeBadge({ status, settlement, release }: Generation): Html {
  if (status === 'settled') return badge(settlement?.cancelled === true ? 'cancelled' : 'completed');
  if (status !== 'released') return badge(status);
  return release === null
    ? badge('released')
    : html`${badge('failed')} <span class="hint">${release.status ?? ''}</span>`;
}
