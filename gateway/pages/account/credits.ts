import { showAccount } from '../../../actors/account/account.ts';
import type { LedgerEntry } from '../../../actors/account/ledger.ts';
import { accountAddress, keyAddress } from '../../../actors/terms/ids.ts';
import { compare } from '../../../actors/terms/usd.ts';
import { sendStatement } from '../../edge/downloads/send-statement.ts';
import type { Downloading } from '../../edge/downloads/write-download.ts';
import { paramOf } from '../../edge/request-context.ts';
import type { RouteAnswer } from '../../http/write-answer.ts';
import { monthsOf } from '../../management/statement.ts';
import { type Html, html } from '../kit/html.ts';
import { chainOrder } from '../kit/list/chain-order.ts';
import type { List } from '../kit/list/list.ts';
import { listSection, openList } from '../kit/list/list-view.ts';
import { type PageRoute, type PrivateVisit, privateContent, privatePage } from '../kit/page-route.ts';
import { facts, figures, section, type TableParts, table } from '../kit/parts/elements.ts';
import type { Option } from '../kit/parts/fields.ts';
import { countText } from '../kit/parts/format.ts';
import { generationLink, time, usd, usdCell } from '../kit/parts/text.ts';
import { accountPage } from './account-page.ts';
import { keyOptions, namesOf } from './names.ts';

const PATH = '/account/credits';

/** `/account/credits`: the account's money, its ledger, and a statement per month. */
export function creditPageRoutes(downloads: Downloading): readonly PageRoute[] {
  return [
    ...privatePage(PATH, showCredits),
    ...privateContent('/account/statements/:month', (visit) =>
      sendStatement(visit.context, downloads, {
        account: accountAddress(visit.session.account),
        month: paramOf(visit.context, 'month').replace(/\.csv$/, ''),
      }),
    ),
  ];
}

async function showCredits(visit: PrivateVisit): Promise<RouteAnswer> {
  const { services, session } = visit;
  const { cluster, askMs } = services;
  const address = accountAddress(session.account);
  const [view, opened, months] = await Promise.all([
    showAccount(cluster, address, askMs),
    openList(visit, ledgerList(visit, await keyOptions(visit))),
    monthsOf(services, address),
  ]);
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
${listSection('Ledger', opened, await ledgerTable(visit, opened.page.items))}
<div id="add">${section('Add credits', waysIn())}</div>
${section(
  'Statements',
  table({
    caption: 'Statements by month',
    columns: ['Month (UTC)', 'File'],
    rows: months.map(({ name }) => [name, html`<a href="/account/statements/${name}.csv">statement-${name}.csv</a>`]),
    empty: 'The first statement begins with the first deposit.',
  }),
)}`;
  return accountPage(visit, { title: 'Credits', place: PATH, content });
}

function waysIn(): Html {
  return html`<p>Your operator deposits by card or transfer. A program pays by itself with x402:
<code>POST /api/v1/deposits/x402?amount=10.00</code> with one of your keys.</p>
<p class="hint"><code>GET /api/v1/deposits/rails</code> lists the ways with their least and highest amounts.</p>`;
}

function ledgerList({ services, session }: PrivateVisit, keys: readonly Option[]): List<LedgerEntry> {
  const { rows } = services.cluster;
  const log = { collection: 'ledger', address: accountAddress(session.account) };
  return {
    path: PATH,
    noun: 'ledger entries',
    rows: log,
    pageRows: 25,
    read: ({ body }) => JSON.parse(body) as LedgerEntry,
    timeOf: ({ at }) => at,
    ...chainOrder((query) => rows.rows(query), log),
    texts: ({ type, ref, amount }) => [type, ref, amount],
    filters: [
      {
        name: 'type',
        title: 'Type',
        options: TYPES,
        matches: ({ type }, value) => type === value,
      },
      {
        name: 'key',
        title: 'Key',
        options: keys,
        matches: ({ key }, value) => key === keyAddress(session.account, value),
      },
    ],
    sorts: [{ value: 'amount', text: 'Largest first', compare: (a, b) => compare(b.amount, a.amount) }],
  };
}

const TYPES: readonly Option[] = [
  { value: 'charge', text: 'Charges' },
  { value: 'deposit', text: 'Deposits' },
  { value: 'adjustment', text: 'Adjustments' },
];

async function ledgerTable(visit: PrivateVisit, entries: readonly LedgerEntry[]): Promise<TableParts> {
  const names = await namesOf(
    visit,
    entries.map(({ key }) => key),
  );
  return {
    caption: 'Ledger entries',
    columns: ['For', 'Time (UTC)', 'Type', 'Key', { number: 'USD' }, { number: 'Balance' }],
    rows: entries.map((entry) => [
      html`${reference(entry)} <span class="hint">#${countText(entry.sequence)}</span>`,
      time(entry.at),
      entry.type,
      entry.key !== null && names.key(entry.key),
      usdCell(entry.to === 'balance' || entry.amount === '0' ? entry.amount : `-${entry.amount}`),
      usdCell(entry.balance),
    ]),
    empty: 'The ledger is empty: it begins with the first deposit.',
  };
}

function reference({ type, ref }: LedgerEntry): Html {
  if (type !== 'charge') return html`<code>${ref}</code>`;
  return generationLink(ref);
}
