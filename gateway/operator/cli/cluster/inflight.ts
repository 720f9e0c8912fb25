/** `troupe inflight|stop`: what all nodes work on now, and how to end one piece of it. */
import { systemClock } from '../../../../actors/runtime/index.ts';
import type { FlightView } from '../../../inflight/flights.ts';
import { command, route } from '../frame/asking.ts';
import { reason } from '../frame/names.ts';
import type { Changed } from '../frame/operator-api.ts';
import { table } from '../frame/print.ts';

interface ListedFlight extends FlightView {
  readonly accountName: string | null;
  readonly keyName: string | null;
  readonly node: string;
}

interface InFlight {
  readonly data: readonly ListedFlight[];
  readonly total: number;
}

const FILTERS = {
  '--account <account>': 'only of this account: its id or its name',
  '--key <key>': 'only of this key',
  '--model <model>': 'only what this model serves',
  '--endpoint <endpoint>': 'only what this endpoint is called for',
  '--kind <kind>': { meaning: 'only work of this kind', choices: ['request', 'line', 'render'] },
  '--node <node>': 'only at this node',
} as const;

export const commands = [
  command('inflight', 'show what all nodes work on now: requests, lines of batches, renders, the oldest first', {
    options: FILTERS,
    ask: ({ account, key, model, endpoint, kind, node }, api) =>
      api.get<InFlight>('/api/inflight', { account, key, model, endpoint, kind, node }),
    print: render,
  }),
  command('stop', 'end a request, a line of a batch or a render; what was delivered is charged', {
    arguments: { '<id>': 'its id, as `troupe inflight` prints it' },
    options: { '--reason <text>': reason('told to the client and recorded in the audit log') },
    ask: ({ id, reason: why }, api) => api.post<Changed>(route`/api/inflight/${id}/stop`, { reason: why }),
    print: ({ did }) => did,
  }),
];

function render({ data, total }: InFlight): string {
  if (data.length === 0) return 'nothing is in flight';
  const now = systemClock.now();
  const rows = data.map((one) => [
    one.id,
    one.kind,
    one.accountName ?? one.account,
    one.keyName ?? one.key,
    one.model,
    one.provider ?? '-',
    one.phase,
    one.tokens ?? '-',
    `${((now - one.startedAt) / 1_000).toFixed(1)} s`,
    one.held ?? '-',
    one.node,
  ]);
  const head = ['ID', 'KIND', 'ACCOUNT', 'KEY', 'MODEL', 'PROVIDER', 'PHASE', 'TOKENS', 'AGE', 'HELD', 'NODE'];
  const more = total > data.length ? `\n${total - data.length} more` : '';
  return `${table(head, rows)}${more}`;
}
