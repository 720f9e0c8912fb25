import { Type } from 'typebox';
import { ALARM } from '../../../actors/cluster-log/cluster-log.machine.ts';
import { ALARM_STATES, alarmOf, CLUSTER_LOG_ADDRESS } from '../../../actors/cluster-log/cluster-log.ts';
import { type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listOf, listQuery, pageOf, walked } from '../http/pages.ts';
import { PLACE, walk } from '../lists/walk.ts';

const NAME = Type.String({ maxLength: 64, description: 'such as node-dead' });
const SUBJECT = Type.String({ maxLength: 256, description: 'what it is about, such as the name of a node' });

export const alarmRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/api/alarms',
    policy: 'viewer',
    summary: 'Alarms of the last 90 days, at most 1,000: when each began and ended, and what to do; newest first.',
    query: listQuery({
      state: Type.Optional(Type.Enum([...ALARM_STATES])),
      severity: Type.Optional(Type.Enum(['critical', 'warning'])),
      name: Type.Optional(NAME),
      subject: Type.Optional(SUBJECT),
    }),
    answers: listOf(Type.Object({}, { description: 'an alarm' })),
    answer: async ({ cluster: { rows }, query }) => {
      const { limit, after } = pageOf(query, PLACE);
      const { state, severity, name, subject } = query;
      const found = await walk(rows, {
        streams: [{ collection: ALARM, address: CLUSTER_LOG_ADDRESS }],
        after,
        limit,
        keeps: (row) => {
          const alarm = alarmOf(row);
          return (
            (state === undefined || (alarm.endedAt === null) === (state === 'open')) &&
            (severity === undefined || alarm.severity === severity) &&
            (name === undefined || alarm.name === name) &&
            (subject === undefined || alarm.subject === subject)
          );
        },
      });
      return walked(found.rows.map(alarmOf), found.next);
    },
  }),
];
