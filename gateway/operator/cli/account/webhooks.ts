/** `troupe webhooks`: the deliveries of an account, for operators; a delivery that waits can be hurried. */
import type { ListedDelivery } from '../../api/jobs.ts';
import type { ShownDelivery } from '../../api/work/one-delivery.ts';
import { command, route } from '../frame/asking.ts';
import { group } from '../frame/command.ts';
import { owner, reason } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';

/** The newest of them. */
const LIST_MAX = 100;
const EVENT = { '<event>': 'the event, as evt_...' } as const;

export const commands = [
  group('webhooks', 'list, show and hurry the webhooks of an account', [
    command('show', 'show one delivery with its attempts', {
      arguments: EVENT,
      ask: ({ event }, api) => api.get<ShownDelivery>(route`/api/webhooks/${event}`),
      print: rendered,
    }),
    command('retry', 'begin the next attempt of a waiting delivery now; it is one of its eight', {
      arguments: EVENT,
      options: { '--reason <text>': reason('why, for the record') },
      ask: async ({ event, reason: why }, api) => {
        const path = route`/api/webhooks/${event}/retry`;
        return (await api.post<{ delivery: ShownDelivery }>(path, { reason: why })).delivery;
      },
      print: rendered,
    }),
    command('list', 'list the newest deliveries; `troupe why webhook:ACCOUNT/EVENT` explains one', {
      arguments: { '<account>': owner('the account, as acct_...') },
      ask: ({ account }, api) => api.listOf<ListedDelivery>('/api/webhooks', account, LIST_MAX),
      print: (deliveries) =>
        table(
          ['EVENT', 'TYPE', 'JOB', 'HOST', 'STATUS', 'ATTEMPTS', 'LAST FAILURE', 'CREATED', 'NEXT'],
          deliveries.map(({ id, event, job, url, status, attempts, lastFailure, at, nextAt }) => [
            id,
            event,
            job,
            url,
            status,
            attempts,
            lastFailure ?? '-',
            timeOf(at),
            timeOf(nextAt) ?? '-',
          ]),
        ),
    }),
  ]),
];

function rendered({ attempts, createdAt, nextAttemptAt, endedAt, ...delivery }: ShownDelivery): string {
  const tries = attempts.map(({ at, outcome }) => `${timeOf(at)} ${outcome ?? 'running'}`);
  const times = { created: timeOf(createdAt), next: timeOf(nextAttemptAt), ended: timeOf(endedAt) };
  return pairs({ ...delivery, ...times, attempts: tries.join(', ') || '-' });
}
