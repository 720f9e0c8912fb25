/** Batches and videos of every account, and the deliveries of webhooks. */
import type { Page } from '../client/api.ts';
import { useLive } from '../client/live.ts';
import { usePlace } from '../client/place.ts';
import { Filters } from '../kit/filters.tsx';
import { PageFrame, Panel } from '../kit/layout.tsx';
import { StateBadge } from '../kit/state.tsx';
import { Listing } from '../kit/table.tsx';
import { ActorLink, Age, actorPath, Time } from '../kit/text.tsx';

interface JobRow {
  readonly id: string;
  readonly address: string;
  readonly kind: 'batch' | 'video';
  readonly status: string;
  readonly account: string;
  readonly accountName: string | null;
  readonly model: string | null;
  /** In words, such as `40 of 100 lines`. */
  readonly progress: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

const JOB_STATUSES = [
  'validating',
  'in_progress',
  'completed',
  'failed',
  'expired',
  'cancelling',
  'cancelled',
  'pending',
];

export function JobsPage() {
  const { query } = usePlace();
  const live = useLive<Page<JobRow>>('/api/jobs', { kind: 'batch', ...Object.fromEntries(query) }, 3_000);
  return (
    <PageFrame title="Jobs" what="Batches and videos of every account, newest first.">
      <Panel title="Search">
        <Filters
          filters={[
            { name: 'kind', label: 'Kind', options: ['batch', 'video'] },
            { name: 'status', label: 'Status', options: JOB_STATUSES },
            { name: 'account', label: 'Account', hint: 'acct_…' },
          ]}
        />
        <Listing
          live={live}
          cursor={query.get('cursor')}
          caption="Jobs"
          keyOf={({ id }) => id}
          to={({ address }) => actorPath(address)}
          empty="No job matches"
          columns={[
            { name: 'Job', cell: ({ id }) => <code>{id}</code> },
            { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
            { name: 'Account', cell: (one) => <ActorLink address={one.account} label={one.accountName} /> },
            { name: 'Model', cell: ({ model }) => model ?? '' },
            { name: 'Progress', cell: ({ progress }) => progress ?? '' },
            { name: 'Created (UTC)', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: 'Age',
              isNumber: true,
              cell: ({ createdAt, endedAt }) => (endedAt === null ? <Age since={createdAt} /> : ''),
            },
          ]}
        />
      </Panel>
    </PageFrame>
  );
}

interface DeliveryRow {
  readonly id: string;
  readonly address: string;
  readonly status: string;
  readonly event: string;
  readonly account: string;
  readonly accountName: string | null;
  readonly url: string;
  readonly attempts: number;
  readonly lastFailure: string | null;
  readonly nextAt: number | null;
  readonly at: number;
}

export function WebhooksPage() {
  const { query } = usePlace();
  const live = useLive<Page<DeliveryRow>>('/api/webhooks', Object.fromEntries(query), 3_000);
  return (
    <PageFrame title="Webhooks" what="Deliveries to the addresses that accounts named.">
      <Panel title="Search">
        <Filters
          filters={[
            { name: 'account', label: 'Account', hint: 'acct_…' },
            { name: 'status', label: 'Status', options: ['delivering', 'waiting', 'delivered', 'failed'] },
          ]}
        />
        <Listing
          live={live}
          cursor={query.get('cursor')}
          caption="Deliveries of webhooks, newest first"
          keyOf={({ id }) => id}
          to={({ address }) => actorPath(address)}
          empty="No delivery matches"
          columns={[
            { name: 'Delivery', cell: ({ id }) => <code>{id}</code> },
            { name: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
            { name: 'Event', cell: ({ event }) => event },
            { name: 'Account', cell: (one) => <ActorLink address={one.account} label={one.accountName} /> },
            { name: 'To', cell: ({ url }) => url },
            { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
            { name: 'Last failure', cell: ({ lastFailure }) => lastFailure ?? '' },
            { name: 'Next (UTC)', cell: ({ nextAt }) => (nextAt === null ? '' : <Time at={nextAt} />) },
          ]}
        />
      </Panel>
    </PageFrame>
  );
}
