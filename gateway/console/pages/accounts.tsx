/** Accounts: search, what they spend by day and model, and the changes that an operator may make. */
import type { Page } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { hrefOf, usePlace } from '../client/place.ts';
import { Change } from '../kit/change.tsx';
import { Filters } from '../kit/filters.tsx';
import { Facts, PageFrame, Panel } from '../kit/layout.tsx';
import { Answer, StateBadge } from '../kit/state.tsx';
import { Listing, Table } from '../kit/table.tsx';
import { actorPath, count, Id, Money, Time } from '../kit/text.tsx';
import { LedgerEntries } from './money.tsx';

interface AccountRow {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly balance: string | null;
  readonly held: string | null;
  readonly createdAt: number | null;
}

interface Spend {
  readonly name: string;
  readonly label: string | null;
  readonly requests: number;
  readonly charged: string;
}

interface OpenHold {
  readonly generation: string;
  readonly amount: string;
  readonly since: number;
  readonly releases: string;
  /** ms. */
  readonly deadlineAt: number;
}

interface AccountView extends AccountRow {
  readonly address: string;
  readonly available: string;
  readonly why: readonly string[];
  readonly holds: readonly OpenHold[];
}

export function AccountsPage() {
  const { query } = usePlace();
  const live = useLive<Page<AccountRow>>('/api/accounts', Object.fromEntries(query), 5_000);
  const top = useLive<Page<Spend>>('/api/spend', { by: 'account' }, 5_000);
  return (
    <PageFrame title="Accounts" what="Who pays: balance, open holds and spend.">
      <Panel title="Dearest today (UTC)">
        <Answer live={top}>
          {({ data }) => (
            <Table
              caption="Accounts by what they were charged today"
              rows={data.slice(0, 10)}
              keyOf={({ name }) => name}
              to={({ name }) => `/accounts/${name}`}
              empty="Nothing was charged today"
              columns={SPEND_COLUMNS('Account')}
            />
          )}
        </Answer>
      </Panel>
      <Panel title="Search">
        <Filters
          filters={[
            { name: 'query', label: 'Name, its beginning, or id', hint: 'acme' },
            { name: 'status', label: 'Status', options: ['active', 'suspended', 'quarantined'] },
          ]}
        />
        <Listing
          live={live}
          cursor={query.get('cursor')}
          caption="Accounts"
          keyOf={({ id }) => id}
          to={({ id }) => `/accounts/${id}`}
          empty="No account matches"
          columns={[
            { name: 'Account', cell: ({ id, name }) => name ?? <code>{id}</code> },
            { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
            { name: 'Balance', isNumber: true, cell: ({ balance }) => <Money usd={balance} /> },
            { name: 'Held', isNumber: true, cell: ({ held }) => <Money usd={held} /> },
            { name: 'Created (UTC)', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      </Panel>
    </PageFrame>
  );
}

const SPEND_COLUMNS = (what: string) => [
  { name: what, cell: ({ name, label }: Spend) => label ?? <code>{name}</code> },
  { name: 'Requests', isNumber: true, cell: ({ requests }: Spend) => count(requests) },
  { name: 'Charged', isNumber: true, cell: ({ charged }: Spend) => <Money usd={charged} /> },
];

export function AccountPage({ id }: { readonly id: string }) {
  const live = useLive<AccountView>(`/api/accounts/${encodeURIComponent(id)}`, {}, 3_000);
  const one = live.value;
  return (
    <PageFrame
      title={one?.name ?? id}
      what={<Id id={id} />}
      actions={one !== null && <Actions account={one} refresh={live.refresh} />}
    >
      <Answer live={live}>{(account) => <AccountParts account={account} />}</Answer>
      <div class="columns">
        <SpendPanel account={id} by="day" title="Spend by day" />
        <SpendPanel account={id} by="model" title="Spend by model today" />
      </div>
    </PageFrame>
  );
}

function Actions({
  account: { id, status },
  refresh,
}: {
  readonly account: AccountView;
  readonly refresh: () => void;
}) {
  const isSuspended = status === 'suspended';
  return (
    <>
      <Change
        label="Adjust the balance"
        path={`/api/accounts/${id}/adjust`}
        inputs={[{ name: 'usd', label: 'USD to add; negative takes away' }]}
        done={refresh}
      />
      <Change
        label={isSuspended ? 'Resume' : 'Suspend'}
        path={`/api/accounts/${id}/${isSuspended ? 'resume' : 'suspend'}`}
        isDangerous={!isSuspended}
        done={refresh}
      />
    </>
  );
}

/** The tab of an account's actor: its money, and every change of its balance. */
export function AccountTab({ id }: { readonly id: string }) {
  const live = useLive<AccountView>(`/api/accounts/${encodeURIComponent(id)}`, {}, 3_000);
  return (
    <>
      <Answer live={live}>{(account) => <AccountParts account={account} />}</Answer>
      <Panel title="Ledger">
        <LedgerEntries account={id} />
      </Panel>
    </>
  );
}

function AccountParts({ account }: { readonly account: AccountView }) {
  return (
    <>
      <Panel
        title="Money"
        aside={
          <span>
            <a href={hrefOf(`/money?account=${account.id}`)}>Ledger</a> ·{' '}
            <a href={hrefOf(`/generations?account=${account.id}`)}>Generations</a> ·{' '}
            <a href={hrefOf(actorPath(account.address))}>Actor</a>
          </span>
        }
      >
        {account.why.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <Facts
          facts={[
            ['Status', <StateBadge key="status" state={account.status} />],
            ['Balance', <Money key="balance" usd={account.balance} />],
            ['Held', <Money key="held" usd={account.held} />],
            ['Available', <Money key="available" usd={account.available} />],
            ['Created (UTC)', <Time key="created" at={account.createdAt} />],
          ]}
        />
      </Panel>
      <Panel title="Open holds">
        <Table
          caption="Open holds and what each would release"
          rows={account.holds}
          keyOf={({ generation }) => generation}
          to={({ generation }) => `/generations/${generation}`}
          empty="Nothing is held"
          columns={[
            { name: 'Generation', cell: ({ generation }) => <code>{generation}</code> },
            { name: 'Since (UTC)', cell: ({ since }) => <Time at={since} /> },
            { name: 'Held', isNumber: true, cell: ({ amount }) => <Money usd={amount} /> },
            { name: 'Would release', isNumber: true, cell: ({ releases }) => <Money usd={releases} /> },
            { name: 'By itself at (UTC)', cell: ({ deadlineAt }) => <Time at={deadlineAt} /> },
          ]}
        />
      </Panel>
    </>
  );
}

function SpendPanel({
  account,
  by,
  title,
}: {
  readonly account: string;
  readonly by: 'day' | 'model';
  readonly title: string;
}) {
  const live = useLive<Page<Spend>>('/api/spend', { account, by }, 10_000);
  return (
    <Panel title={title}>
      <Answer live={live}>
        {({ data }) => (
          <Table
            caption={`${title}, of this account`}
            rows={data}
            keyOf={({ name }) => name}
            empty="Nothing was charged"
            columns={SPEND_COLUMNS(by === 'day' ? 'Day (UTC)' : 'Model')}
          />
        )}
      </Answer>
    </Panel>
  );
}
