/** The questions about work in flight that nodes answer each other. */
import type { HostCall, Json } from '../../actors/runtime/index.ts';
import type { Principal } from '../../actors/terms/principal.ts';
import { GatewayError } from '../terms/gateway-error.ts';
import type { Flights, FlightView } from './flights.ts';

/** Views that one node answers with; `total` counts the rest. */
const VIEWS_MAX = 500;

/** Which work is shown; absent members do not restrict it. */
interface FlightFilter {
  /** Id of one piece of work. */
  readonly id?: string | undefined;
  /** Address of an account. */
  readonly account?: string | undefined;
  /** Address of a key. */
  readonly key?: string | undefined;
  readonly model?: string | undefined;
  /** Id of an endpoint. */
  readonly endpoint?: string | undefined;
  readonly kind?: string | undefined;
}

/** The answer of a node: its oldest matching work first. */
export interface FlightsOfNode {
  readonly total: number;
  readonly views: readonly FlightView[];
}

/** What became of a stop: `absent` where the node does not run the work; else `stopped`, or why it cannot be. */
export type StopOutcome =
  | { readonly outcome: 'stopped' | 'absent' }
  | { readonly outcome: 'refused'; readonly why: string };

/** An operator's wish to stop one piece of work. */
interface FlightStop {
  readonly id: string;
  readonly reason: string;
  readonly by: Principal;
}

/** `flights.list` takes a `FlightFilter`, `flights.stop` a `FlightStop`. */
export function hostCallsOf(flights: Flights): Readonly<Record<string, HostCall>> {
  return {
    'flights.list': (input) => listed(flights, input as FlightFilter) as unknown as Json,
    'flights.stop': async (input) => (await stopped(flights, input as unknown as FlightStop)) as unknown as Json,
  };
}

function listed(flights: Flights, filter: FlightFilter): FlightsOfNode {
  const views: FlightView[] = [];
  let total = 0;
  for (const view of flights.views()) {
    if (!matches(view, filter)) continue;
    total++;
    if (views.length < VIEWS_MAX) views.push(view);
  }
  return { total, views };
}

function matches(view: FlightView, { id, account, key, model, endpoint, kind }: FlightFilter): boolean {
  return (
    (id === undefined || view.id === id) &&
    (account === undefined || view.account === account) &&
    (key === undefined || view.key === key) &&
    (model === undefined || view.model === model) &&
    (endpoint === undefined || view.endpoint === endpoint) &&
    (kind === undefined || view.kind === kind)
  );
}

async function stopped(flights: Flights, { id, reason, by }: FlightStop): Promise<StopOutcome> {
  const flight = flights.of(id);
  if (flight === undefined) return { outcome: 'absent' };
  try {
    await flight.stop(reason, by);
    return { outcome: 'stopped' };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { outcome: 'refused', why: error.detail ?? error.message };
  }
}
