import { compare } from '../../../actors/terms/usd.ts';
import { sendCsv } from '../../edge/downloads/send-csv.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { type ActivitySum, merged, readActivity } from '../../management/activity.ts';
import { csv } from '../../terms/csv.ts';
import { invalid } from '../../terms/gateway-error.ts';
import { type Html, html } from '../kit/html.ts';
import { type PageRoute, type PrivateVisit, privateContent, privatePage } from '../kit/page-route.ts';
import { figures, section, table } from '../kit/parts/elements.ts';
import { countText } from '../kit/parts/format.ts';
import { usd, usdCell } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import { localOf, type Names, namesOf } from './names.ts';
import { dateOf, lastDays, readUsage, usageChart } from './usage-of.ts';

const PATH = '/account/usage';
const SPANS = [7, 30, 90] as const;
const USUAL = 30;
/** Rows of the table; the rest is summed in one, and the CSV has every one. */
const ROWS_MAX = 20;

/** `/account/usage`: what was charged, by day, model, key or provider, and all of it as CSV. */
export function usageRoutes(downloads: Downloading): readonly PageRoute[] {
  return [...privatePage(PATH, showUsage), ...privateContent(`${PATH}.csv`, (visit) => sendUsage(visit, downloads))];
}

/** What charges are summed by. */
interface Grouping {
  readonly value: string;
  readonly text: string;
  /** What the rows of one sum have in common. */
  readonly idOf: (row: ActivitySum) => string;
  /** The query of the requests behind one of its sums. */
  readonly requestsOf: (id: string) => Readonly<Record<string, string>>;
}

const BY_MODEL: Grouping = {
  value: 'model',
  text: 'Model',
  idOf: ({ model }) => model,
  requestsOf: (q) => ({ q }),
};
const GROUPINGS: readonly Grouping[] = [
  BY_MODEL,
  {
    value: 'key',
    text: 'Key',
    idOf: ({ key = '' }) => key,
    requestsOf: (key) => ({ key: localOf(key) }),
  },
  {
    value: 'provider',
    text: 'Provider',
    idOf: ({ provider }) => provider,
    requestsOf: (q) => ({ q }),
  },
  {
    value: 'day',
    text: 'Day',
    idOf: ({ day }) => dateOf(day),
    requestsOf: (day) => ({ from: day, to: day }),
  },
];

async function showUsage(visit: PrivateVisit): Promise<RouteAnswer> {
  const { services, session } = visit;
  const { days, grouping } = askedOf(visit);
  const usage = await readUsage(services, session.account, days);
  const groups = grouped(usage.rows, grouping);
  // Only what is shown is named: an account may have any number of keys.
  const named = grouping.value === 'key' ? groups.slice(0, ROWS_MAX).map(({ id }) => id) : [];
  const names = await namesOf(visit, named);
  const labelOf = (id: string): string => (named.includes(id) ? names.textOf(id) : id);
  const tokens = usage.rows.reduce((sum, row) => sum + row.promptTokens + row.completionTokens, 0);
  const content = html`${figures([
    ['Charged', usd(usage.total)],
    ['Requests', countText(usage.requests)],
    ['Tokens', countText(tokens)],
  ])}
${section('Per day', usageChart(usage, grouping.value === 'day' ? BY_MODEL.idOf : grouping.idOf, labelOf))}
${section('Charges', sumTable(groups, grouping, labelOf), groupings(days, grouping))}
<p class="hint"><a href="${PATH}.csv?days=${days}" download>Download as CSV</a>: every sum by day, model, provider and key.</p>`;
  return accountPage(visit, { title: 'Usage', place: PATH, action: spans(days, grouping), content });
}

/** Throws GatewayError 400 naming the member. */
function askedOf({ context }: PrivateVisit): { readonly days: number; readonly grouping: Grouping } {
  const query = new URLSearchParams(context.query);
  const [days, by] = [query.get('days') ?? String(USUAL), query.get('by') ?? BY_MODEL.value];
  const span = SPANS.find((one) => String(one) === days);
  if (span === undefined) throw invalid(`days must be one of ${SPANS.join(', ')}`);
  const grouping = GROUPINGS.find(({ value }) => value === by);
  if (grouping === undefined) throw invalid(`by must be one of ${GROUPINGS.map(({ value }) => value).join(', ')}`);
  return { days: span, grouping };
}

function addressOf(days: number, { value }: Grouping): string {
  return `${PATH}?${new URLSearchParams({ days: String(days), by: value })}`;
}

function spans(current: number, grouping: Grouping): Html {
  return choices(
    'Time',
    SPANS.map((span) => ({ path: addressOf(span, grouping), text: `${span} days`, isCurrent: span === current })),
  );
}

function groupings(days: number, current: Grouping): Html {
  return choices(
    'Sum by',
    GROUPINGS.map((one) => ({ path: addressOf(days, one), text: one.text, isCurrent: one === current })),
  );
}

interface Choice {
  readonly path: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

function choices(name: string, links: readonly Choice[]): Html {
  const items = links.map(({ path, text, isCurrent }) =>
    isCurrent
      ? html`<li><a href="${path}" aria-current="true">${text}</a></li>`
      : html`<li><a href="${path}">${text}</a></li>`,
  );
  return html`<nav class="choices" aria-label="${name}"><ul>${items}</ul></nav>`;
}

interface Group {
  readonly id: string;
  readonly sum: ActivitySum;
}

/** The dearest first, days by date. */
function grouped(rows: readonly ActivitySum[], { value, idOf }: Grouping): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const id = idOf(row);
    const known = groups.get(id);
    groups.set(id, { id, sum: known === undefined ? row : merged(known.sum, row) });
  }
  const all = [...groups.values()];
  if (value === 'day') return all.sort((a, b) => (a.id < b.id ? 1 : -1));
  return all.sort((a, b) => compare(b.sum.usage, a.sum.usage) || (a.id < b.id ? -1 : 1));
}

function sumTable(groups: readonly Group[], grouping: Grouping, labelOf: (id: string) => string): Html {
  const rest = groups.slice(ROWS_MAX).map(({ sum }) => sum);
  const rows = groups.slice(0, ROWS_MAX).map(({ id, sum }) => {
    const query = new URLSearchParams({ ...grouping.requestsOf(id) }).toString();
    return [html`<a href="/account/generations?${query}" title="${id}">${labelOf(id)}</a>`, ...counts(sum)];
  });
  if (rest.length > 0) rows.push([html`${countText(rest.length)} others`, ...counts(rest.reduce(merged))]);
  return table({
    caption: `Charges by ${grouping.value}`,
    columns: [grouping.text, { number: 'Requests' }, { number: 'Prompt' }, { number: 'Completion' }, { number: 'USD' }],
    rows,
    empty: 'Nothing was charged in this time.',
  });
}

function counts({ requests, promptTokens, completionTokens, usage }: ActivitySum): readonly (string | Html)[] {
  return [countText(requests), countText(promptTokens), countText(completionTokens), usdCell(usage)];
}

function sendUsage(visit: PrivateVisit, downloads: Downloading): Promise<null> {
  const { context, services, session } = visit;
  const { days } = askedOf(visit);
  const source = usageLines(visit, lastDays(services.cluster.now(), days));
  return sendCsv(context, downloads, { account: session.account, name: `usage-${days}-days`, source });
}

const HEAD = [
  'date',
  'model',
  'provider',
  'endpoint_id',
  'key',
  'key_id',
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'amount_usd',
];

/** Rows whose keys are named, and written, at once. */
const LINES_MAX = 200;

/** The lines day by day, so that no more than one day is in memory. */
async function* usageLines(visit: PrivateVisit, days: readonly number[]): AsyncIterable<Uint8Array> {
  yield Buffer.from(csv([HEAD]));
  for (const day of days) {
    const filter = { days: [day], isByKey: true };
    const rows = await readActivity(visit.services, visit.session.account, filter);
    for (let from = 0; from < rows.length; from += LINES_MAX) {
      const some = rows.slice(from, from + LINES_MAX);
      const names = await namesOf(
        visit,
        some.map(({ key }) => key),
      );
      yield Buffer.from(csv(some.map((row) => cellsOf(row, names))));
    }
  }
}

function cellsOf(row: ActivitySum, names: Names): readonly string[] {
  const { day, model, provider, endpoint, key = '', usage } = row;
  const numbers = [row.requests, row.promptTokens, row.completionTokens, row.reasoningTokens].map(String);
  return [dateOf(day), model, provider, endpoint, names.textOf(key), localOf(key), ...numbers, usage];
}
