import { ENDPOINTS_TOPIC, endpointsOn } from '../../actors/endpoint/endpoint.ts';
import type { Clock, Cluster } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../actors/terms/ids.ts';
import { PAUSES_TOPIC } from '../../actors/terms/pause.ts';

/** Endpoints publish each measurement; changes of health are rare, so one look gathers what a second brought. */
const LOOK_MS = 1_000;

type Shown = Endpoint['health'] | 'paused';

interface HealthLogger {
  info(record: object, message: string): void;
  warn(record: object, message: string): void;
}

/** Logs changes of health, pauses among them, of the endpoints whose actors live on this node. Returns the function that ends it. */
export function logHealth(
  { board, owns }: Pick<Cluster, 'board' | 'owns'>,
  clock: Clock,
  log: HealthLogger,
): () => void {
  let known = new Map<string, Shown>();
  let waits = false;
  const look = (): void => {
    waits = false;
    const seen = new Map<string, Shown>();
    for (const [id, value] of endpointsOn(board)) {
      const { health, healthReason, paused, model, provider } = value as unknown as Endpoint;
      const to = paused === undefined ? health : 'paused';
      const from = known.get(id);
      seen.set(id, to);
      if (from === undefined || from === to || !owns(endpointAddress(id))) continue;
      log[to === 'healthy' ? 'info' : 'warn'](
        { endpoint: id, model, provider: provider.slug, from, to, reason: paused?.reason ?? healthReason },
        'the health of an endpoint changed',
      );
    }
    known = seen;
  };
  const changed = (): void => {
    if (waits) return;
    waits = true;
    clock.after(LOOK_MS, look);
  };
  const ends = [ENDPOINTS_TOPIC, PAUSES_TOPIC].map((topic) => board.onChange(topic, changed));
  return () => {
    for (const end of ends) end();
  };
}
