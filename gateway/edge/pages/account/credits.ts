import { showAccount } from '../../../../actors/account/account.ts';
import type { LedgerEntry } from '../../../../actors/account/ledger.ts';
import { accountAddress } from '../../../../actors/terms/ids.ts';
import { monthsOf } from '../../api/money/statement.ts';
import { sendStatementOf } from '../../api/money/statements.ts';
import type { Route } from '../../http/route.ts';
import type { RouteAnswer } from '../../http/route-answer.ts';
import { paramOf } from '../../request-context.ts';
import { type Html, html } from '../html.ts';
import { type PrivateVisit, privateContent, privatePage } from '../page-route.ts';
import { facts, figures, olderLink, table } from '../parts/elements.ts';
import { countText, generationLink, shortId, time, usd, usdCell } from '../parts/text.ts';
import { accountPage, section } from './account-page.ts';

const PAGE = 50;

/** `/account/credits`: the account's money, its ledger, and a statement per month. */
export const creditPageRoutes: readonly Route[] = [
  ...privatePage('/account/credits', showCredits),
  ...privateContent('/account/statements/:month', (visit) =>
    sendStatementOf(visit.context, visit.edge, {
      account: accountAddress(visit.session.account),
      month: paramOf(visit.context, 'month').replace(/\.csv$/, ''),
    }),
  ),
];

async function showCredits(visit: PrivateVisit): Promise<RouteAnswer> {
  const { context, edge, session } = visit;
  const { cluster, askMs } = edge.services;
  const address = accountAddress(session.account);
  const before = sequenceOf(new URLSearchParams(context.query).get('after'));
  const [view, entries, months] = await Promise.all([
    showAccount(cluster, address, askMs),
    ledgerOf(visit, before),
    monthsOf((query) => cluster.rows.rows(query), address, cluster.now()),
  ]);
  const last = entries.length > PAGE ? String(entries[PAGE - 1]?.sequence) : null;
  const content = html`${figures([
    ['Balance', usd(view.balance)],
    ['Held', usd(view.held), `by ${countText(view.holds)} running ${view.holds === 1 ? 'request' : 'requests'}`],
    ['Available', usd(view.available), 'to spend now'],
  ])}
${section(
  'How it adds up',
  facts([
    ['Deposited', usd(view.deposits)],
    ['Charged', usd(view.charges)],
    ['Adjusted', usd(view.adjustments)],
  ]),
)}
${section('Add credits', waysIn())}
${section(
  'Statements',
  table({
    caption: 'Statements by month',
    columns: ['Month (UTC)', 'File'],
    rows: months.map(({ name }) => [name, html`<a href="/account/statements/${name}.csv">statement-${name}.csv</a>`]),
    empty: 'The first statement begins with the first deposit.',
  }),
)}
${section('Ledger', ledgerTable(entries.slice(0, PAGE)))}
${olderLink('/account/credits', last)}`;
  return accountPage(visit, { title: 'Credits', place: '/account/credits', content });
}

function waysIn(): Html {
  return html`<p>Your operator deposits by card or transfer. A program pays by itself with x402:
<code>POST /api/v1/deposits/x402?amount=10.00</code> with one of your keys.</p>
<p class="hint"><code>GET /api/v1/deposits/rails</code> lists the ways with their least and highest amounts.</p>`;
}

/** One more than a page, which tells whether there is another page. */
async function ledgerOf({ edge, session }: PrivateVisit, before: number | null): Promise<readonly LedgerEntry[]> {
  const rows = await edge.services.cluster.rows.rows({
    ...{ collection: 'ledger', address: accountAddress(session.account), order: 'descending', limit: PAGE + 1 },
    ...(before === null ? {} : { after: { sort: before, id: '' } }),
  });
  return rows.map(({ body }) => JSON.parse(body) as LedgerEntry);
}

function ledgerTable(entries: readonly LedgerEntry[]): Html {
  return table({
    caption: 'Ledger entries, newest first',
    columns: [{ number: 'Entry' }, 'Time (UTC)', 'Type', 'For', 'Key', { number: 'USD' }, { number: 'Balance' }],
    rows: entries.map((entry) => [
      ...[countText(entry.sequence), time(entry.at), entry.type, reference(entry)],
      entry.key === null ? '' : shortId(entry.key),
      usdCell(entry.to === 'balance' || entry.amount === '0' ? entry.amount : `-${entry.amount}`),
      usdCell(entry.balance),
    ]),
    empty: 'The ledger is empty: it begins with the first deposit.',
  });
}

function reference({ type, ref }: LedgerEntry): Html {
  if (type !== 'charge') return html`<code>${ref}</code>`;
  return generationLink(ref);
}

/** A text that is no sequence begins anew. */
function sequenceOf(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
}
