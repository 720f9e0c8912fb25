import { parseAddress } from '../../../actors/runtime/index.ts';
import { endpointAddress, providerAddress } from '../../../actors/terms/ids.ts';
import { changePause } from '../../../actors/terms/pause.ts';
import { type ChangePlan, type ChangeRequest, change, quoted } from '../http/change.ts';
import { isAbsent, type OperatorRoute } from '../http/operator-route.ts';

const PAUSE_MS = 4_000;

interface Pausing {
  /** The word of the command line. */
  readonly group: 'endpoints' | 'providers';
  readonly name: string;
  readonly address: string;
}

const endpoint = (id: string): Pausing => ({ group: 'endpoints', name: id, address: endpointAddress(id) });
const provider = (slug: string): Pausing => ({ group: 'providers', name: slug, address: providerAddress(slug) });

export const pauseRoutes: readonly OperatorRoute[] = [
  change({
    path: '/api/endpoints/:id/pause',
    summary: 'Send no new call to an endpoint until it is resumed; calls under way end.',
    plan: (request) => pause(endpoint(request.params.id), request),
  }),
  change({
    path: '/api/endpoints/:id/resume',
    summary: 'Send calls to a paused endpoint again.',
    plan: (request) => resume(endpoint(request.params.id), request),
  }),
  change({
    path: '/api/providers/:slug/pause',
    summary: 'Send no new call to any endpoint of a provider until it is resumed; calls under way end.',
    plan: (request) => pause(provider(request.params.slug), request),
  }),
  change({
    path: '/api/providers/:slug/resume',
    summary: 'Send calls to the endpoints of a paused provider again.',
    plan: (request) => resume(provider(request.params.slug), request),
  }),
];

async function pause({ group, name, address }: Pausing, request: ChangeRequest): Promise<ChangePlan> {
  await requireActor(request, address);
  const { reason } = request.body;
  return {
    would: `pause ${address}: no new call goes there until it is resumed, and calls under way end`,
    command: `troupe ${group} pause ${quoted(name)} --reason ${quoted(reason)}`,
    audit: null,
    run: async () => told(address, await changePause(request.cluster, address, reason, changeOf(request))),
  };
}

async function resume({ group, name, address }: Pausing, request: ChangeRequest): Promise<ChangePlan> {
  await requireActor(request, address);
  const options = { ...changeOf(request), because: request.body.reason };
  return {
    would: `resume ${address}: new calls go there again`,
    command: `troupe ${group} resume ${quoted(name)} --reason ${quoted(request.body.reason)}`,
    audit: null,
    run: async () => told(address, await changePause(request.cluster, address, null, options)),
  };
}

function changeOf({ principal }: ChangeRequest) {
  return { by: principal, withinMs: PAUSE_MS };
}

/** A dry run too names what is absent. */
async function requireActor({ cluster }: ChangeRequest, address: string): Promise<void> {
  const found = parseAddress(address) === null ? null : await cluster.operator.inspect(address);
  if (found === null) throw isAbsent(address);
}

function told(address: string, { paused, changed }: Awaited<ReturnType<typeof changePause>>) {
  const verb = paused === null ? 'resumed' : 'paused';
  return { did: changed ? `${verb} ${address}` : `${address} was ${verb} already`, address, paused, changed };
}
