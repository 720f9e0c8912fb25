/** Recorded steps of an actor, read from the store: no actor is loaded. The kinds redact what is shown. */
import { Type } from 'typebox';
import type { ActorEvent, Cluster } from '../../../actors/runtime/index.ts';
import type { Replayed } from '../../../actors/runtime/inspect/replay.ts';
import type { OtherBuilds } from '../actor-page/other-builds.ts';
import { findAddress } from '../find-address.ts';
import { change, quoted } from '../http/change.ts';
import { isAbsent, isInvalid, OperatorFault, type OperatorRoute, operatorRoute } from '../http/operator-route.ts';
import { listed, listOf, listQuery, pageOf } from '../http/pages.ts';
import { named } from './actors.ts';

const MINUTE_MS = 60_000;
const MINUTES_MAX = 24 * 60;

const ANOTHER = 'viewers take the recorded event: another one needs the role operator';

const STEP = Type.Object({
  version: Type.Integer(),
  at: Type.Integer(),
  event: Type.String(),
  from: Type.String(),
  to: Type.String(),
  node: Type.String(),
  epoch: Type.Integer(),
  recorded: Type.Boolean({ description: 'false: only of the last 50 transitions, without states' }),
});

export interface HistoryServices {
  readonly builds: Pick<OtherBuilds, 'names' | 'again'>;
}

const EVENT = Type.Optional(
  Type.Object(
    { type: Type.String() },
    { additionalProperties: true, description: 'taken instead of the recorded one' },
  ),
);

export const historyRoutes = ({ builds }: HistoryServices): readonly OperatorRoute[] => [
  operatorRoute({
    method: 'GET',
    path: '/api/actors/:address/steps',
    policy: 'viewer',
    summary: 'The steps of an actor, newest first: those recorded, and its last 50 in any case.',
    query: listQuery({}),
    answers: listOf(STEP),
    answer: async ({ cluster, params, query }) => {
      const { limit, after } = pageOf(query, Type.Object({ version: Type.Integer() }));
      const below = after === null ? {} : { before: after.version };
      const address = await addressOf(cluster, params.address);
      const steps = await cluster.operator.history.list(address, { ...below, limit: limit + 1 });
      return listed(steps, limit, { keyOf: ({ version }) => ({ version }), entryOf: (step) => step });
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/actors/:address/steps/:version',
    policy: 'viewer',
    summary: 'One recorded step: its event, the rows that it read, and the state before and after it.',
    answer: async ({ cluster, params }) => {
      const { address, version } = await stepNamed(cluster, params);
      return (await cluster.operator.history.read(address, version)) ?? isUnrecorded(address, version);
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/api/actors/:address/steps/:version/again',
    policy: 'viewer',
    summary:
      'Take a recorded step again on the state before it, operators also with another event; nothing is stored or sent.',
    body: Type.Object({ event: EVENT }),
    answer: async ({ cluster, role, params, body: { event } }) => {
      // Charts take what other actors sent as it is, so an event of any content could hold up the node.
      if (event !== undefined && role !== 'operator') throw new OperatorFault(403, 'forbidden', ANOTHER, 'event');
      const { address, version } = await stepNamed(cluster, params);
      const taken = await cluster.operator.history.again(address, version, event as ActorEvent | undefined);
      return taken ?? isUnrecorded(address, version);
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/api/builds',
    policy: 'viewer',
    summary: 'The builds of `operator.builds` with which a recorded step can be taken again.',
    answers: listOf(Type.Object({ name: Type.String() })),
    answer: () => ({ data: builds.names.map((name) => ({ name })), next: null }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/api/actors/:address/steps/:version/again/:build',
    // It runs that build's code on this host, on what the step read.
    policy: 'operator',
    summary: 'Take a recorded step again with a build of `operator.builds`, in a process of its own, within bounds.',
    body: Type.Object({ event: EVENT }),
    answer: async ({ cluster, params, body: { event } }) => {
      const { address, version } = await stepNamed(cluster, params);
      const taken = await builds.again(params.build, { address, version, event: event as ActorEvent | undefined });
      return taken === null ? isUnrecorded(address, version) : takenElsewhere(taken);
    },
  }),
  change({
    path: '/api/actors/:address/record',
    summary: 'Record every step of an actor for some minutes, or end a recording with 0.',
    members: { minutes: Type.Integer({ minimum: 0, maximum: MINUTES_MAX }) },
    answers: { address: Type.String(), until: Type.Integer() },
    plan: async ({ cluster, params, body: { minutes, reason } }) => {
      const address = await addressOf(cluster, params.address);
      const until = cluster.now() + minutes * MINUTE_MS;
      const ends = minutes === 0;
      return {
        would: ends ? `end the recording of ${address}` : `record every step of ${address} for ${minutes} minutes`,
        command: `troupe record ${quoted(address)} --minutes ${minutes} --reason ${quoted(reason)}`,
        audit: { action: 'actor.record', target: address, detail: { minutes } },
        run: async () => {
          if (!(await cluster.operator.history.record(address, until))) throw isAbsent(address);
          const did = ends ? `ended the recording of ${address}` : `records ${address} for ${minutes} minutes`;
          return { did, address, until };
        },
      };
    },
  }),
];

async function addressOf({ operator }: Cluster, name: string): Promise<string> {
  const address = await findAddress(operator, named(name));
  if (address === null) throw isAbsent(name);
  return address;
}

async function stepNamed(cluster: Cluster, params: { readonly address: string; readonly version: string }) {
  const version = Number(params.version);
  if (!Number.isSafeInteger(version) || version < 1) throw isInvalid('version', 'must be the version of a step');
  return { address: await addressOf(cluster, params.address), version };
}

/** As the running build answers it. */
function takenElsewhere({ first, steps }: Replayed): object {
  const failure = 'its record was too long: its event or its rows were left out';
  if (first === null) return { equal: steps > 0, difference: [], effects: [], failure: steps > 0 ? null : failure };
  const { equal, difference, effects, sameEffects, failure: why } = first;
  return { equal, difference, effects, sameEffects, failure: why };
}

function isUnrecorded(address: string, version: number): never {
  throw new OperatorFault(404, 'not_recorded', `step ${version} of ${address} is not recorded, or no longer`);
}
