/** The audit log: who changed what, when and why. */
import type { Page } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { usePlace } from '../client/place.ts';
import { Filters } from '../kit/filters.tsx';
import { PageFrame, Panel } from '../kit/layout.tsx';
import { Listing } from '../kit/table.tsx';
import { ActorLink, Time } from '../kit/text.tsx';

interface AuditRow {
  readonly id: string;
  readonly at: number;
  readonly account: string | null;
  readonly accountName: string | null;
  readonly principal: string;
  readonly action: string;
  readonly target: string;
  readonly reason: string | null;
  readonly detail: string | null;
}

export function AuditPage() {
  const { query } = usePlace();
  const live = useLive<Page<AuditRow>>('/api/audit', Object.fromEntries(query), 5_000);
  return (
    <PageFrame title="Audit" what="Every change by a person or an operator, with its reason.">
      <Panel title="Entries">
        <Filters
          filters={[
            { name: 'account', label: 'Account', hint: 'acct_…' },
            { name: 'action', label: 'Action', hint: 'key.disable' },
          ]}
        />
        <Listing
          live={live}
          cursor={query.get('cursor')}
          caption="Entries of the audit log, newest first"
          keyOf={({ id }) => id}
          empty="No entry matches"
          columns={[
            { name: 'Time (UTC)', cell: ({ at }) => <Time at={at} /> },
            { name: 'Who', cell: ({ principal }) => principal },
            { name: 'Action', cell: ({ action }) => <code>{action}</code> },
            { name: 'On', cell: ({ target }) => <code>{target}</code> },
            {
              name: 'Account',
              cell: ({ account, accountName }) => account && <ActorLink address={account} label={accountName} />,
            },
            { name: 'Reason', cell: ({ reason }) => reason ?? '' },
          ]}
        />
      </Panel>
    </PageFrame>
  );
}
