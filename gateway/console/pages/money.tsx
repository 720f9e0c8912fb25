/** Money: the ledger of an account, and the deposits whose outcome somebody has to find out. */
import type { Page } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { hrefOf, usePlace } from '../client/place.ts';
import { Filters } from '../kit/filters.tsx';
import { PageFrame, Panel, Tabs } from '../kit/layout.tsx';
import { Empty, StateBadge } from '../kit/state.tsx';
import { Listing } from '../kit/table.tsx';
import { ActorLink, Money, Time } from '../kit/text.tsx';

interface LedgerEntry {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly amount: string;
  readonly balance: string;
  /** What it came from: a generation, a deposit, an adjustment. */
  readonly source: string;
  readonly path: string | null;
  readonly note: string | null;
}

interface DepositRow {
  readonly id: string;
  readonly at: number;
  readonly status: string;
  readonly account: string;
  readonly accountName: string | null;
  readonly amount: string;
  readonly rail: string;
  readonly why: string | null;
}

export function MoneyPage() {
  const { query } = usePlace();
  const open = query.get('tab') ?? 'ledger';
  return (
    <PageFrame title="Money" what="Every change of a balance, to the last digit.">
      <Tabs
        open={open}
        tabs={[
          { id: 'ledger', name: 'Ledger' },
          { id: 'deposits', name: 'Deposits' },
        ]}
      />
      {open === 'deposits' ? <Deposits /> : <Ledger />}
    </PageFrame>
  );
}

function Ledger() {
  const { query } = usePlace();
  const account = query.get('account');
  return (
    <Panel title="Ledger">
      <Filters filters={[{ name: 'account', label: 'Account', hint: 'acct_…' }]} />
      {account === null ? <Empty title="Name an account to see its ledger" /> : <LedgerEntries account={account} />}
    </Panel>
  );
}

export function LedgerEntries({ account }: { readonly account: string }) {
  const { query } = usePlace();
  const cursor = query.get('cursor');
  const live = useLive<Page<LedgerEntry>>('/api/ledger', { account, cursor }, 5_000);
  return (
    <Listing
      live={live}
      cursor={cursor}
      caption="Ledger, newest first"
      keyOf={({ id }) => id}
      empty="No entry was made yet"
      columns={[
        { name: 'Time (UTC)', cell: ({ at }) => <Time at={at} /> },
        { name: 'Entry', cell: ({ kind }) => <StateBadge state={kind} tone="plain" /> },
        { name: 'Amount', isNumber: true, cell: ({ amount }) => <Money usd={amount} isExact /> },
        { name: 'Balance after', isNumber: true, cell: ({ balance }) => <Money usd={balance} isExact /> },
        { name: 'From', cell: ({ source, path }) => <Source name={source} path={path} /> },
        { name: 'Note', cell: ({ note }) => note ?? '' },
      ]}
    />
  );
}

function Source({ name, path }: { readonly name: string; readonly path: string | null }) {
  return path === null ? (
    <code>{name}</code>
  ) : (
    <a href={hrefOf(path)}>
      <code>{name}</code>
    </a>
  );
}

function Deposits() {
  const { query } = usePlace();
  const { tab: _, ...filter } = Object.fromEntries(query);
  const live = useLive<Page<DepositRow>>('/api/deposits', filter, 5_000);
  return (
    <Panel title="Deposits">
      <Filters
        filters={[
          { name: 'account', label: 'Account', hint: 'acct_…' },
          { name: 'status', label: 'Status', options: ['review', 'pending', 'credited', 'failed'] },
        ]}
      />
      <Listing
        live={live}
        cursor={query.get('cursor')}
        caption="Deposits, newest first"
        keyOf={({ id }) => id}
        empty="No deposit matches"
        columns={[
          { name: 'Deposit', cell: ({ id }) => <code>{id}</code> },
          { name: 'Time (UTC)', cell: ({ at }) => <Time at={at} /> },
          { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
          { name: 'Account', cell: (one) => <ActorLink address={one.account} label={one.accountName} /> },
          { name: 'Amount', isNumber: true, cell: ({ amount }) => <Money usd={amount} isExact /> },
          { name: 'Rail', cell: ({ rail }) => rail },
          { name: 'Why', cell: ({ why }) => why ?? '' },
        ]}
      />
    </Panel>
  );
}
