/** Every alarm of the last weeks: when it began, when it ended, and what there was to do. */
import type { Page } from '../client/api.ts';
import { useCluster } from '../client/cluster.ts';
import { useLive } from '../client/live.ts';
import { hrefOf, usePlace } from '../client/place.ts';
import { Filters } from '../kit/filters.tsx';
import { PageFrame, Panel } from '../kit/layout.tsx';
import { StateBadge } from '../kit/state.tsx';
import { Listing } from '../kit/table.tsx';
import { Age, duration, Time, Words } from '../kit/text.tsx';

interface AlarmRow {
  readonly name: string;
  readonly subject: string | null;
  readonly severity: 'critical' | 'warning';
  readonly what: string;
  readonly todo: string;
  readonly link: string | null;
  readonly beganAt: number;
  readonly endedAt: number | null;
}

/** Alarms are announced by the feed; without one they are read this often. */
const UNANNOUNCED_MS = 20_000;

export function AlarmsPage() {
  const { query } = usePlace();
  const live = useLive<Page<AlarmRow>>('/api/alarms', Object.fromEntries(query), UNANNOUNCED_MS);
  useCluster(live.refresh);
  return (
    <PageFrame title="Alarms" what="What needed an operator, from its begin to its end; 90 days are kept.">
      <Panel title="History">
        <Filters
          filters={[
            { name: 'state', label: 'State', options: ['open', 'ended'] },
            { name: 'severity', label: 'Severity', options: ['critical', 'warning'] },
            { name: 'name', label: 'Alarm', hint: 'node-dead' },
            { name: 'subject', label: 'About', hint: 'n1' },
          ]}
        />
        <Listing
          live={live}
          cursor={query.get('cursor')}
          caption="Alarms, newest first"
          keyOf={({ name, subject, beganAt }) => `${name} ${subject} ${beganAt}`}
          empty="No alarm is recorded"
          columns={[
            { name: 'Began (UTC)', cell: ({ beganAt }) => <Time at={beganAt} /> },
            { name: 'Severity', cell: ({ severity }) => <StateBadge state={severity} /> },
            { name: 'What', cell: ({ what, link }) => (link === null ? what : <a href={hrefOf(link)}>{what}</a>) },
            {
              name: 'Ended (UTC)',
              cell: ({ endedAt }) =>
                endedAt === null ? <StateBadge state="open" tone="bad" /> : <Time at={endedAt} />,
            },
            {
              name: 'For',
              isNumber: true,
              cell: ({ beganAt, endedAt }) =>
                endedAt === null ? <Age since={beganAt} /> : duration(endedAt - beganAt),
            },
            { name: 'What to do', cell: ({ todo }) => <Words text={todo} /> },
          ]}
        />
      </Panel>
    </PageFrame>
  );
}
