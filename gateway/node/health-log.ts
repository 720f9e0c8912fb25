import { ENDPOINTS_TOPIC } from '../../actors/endpoint/endpoint.ts';
import type { Clock, Cluster } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { endpointAddress } from '../../actors/terms/ids.ts';

/** Endpoints publish each measurement; changes of health are rare, so one look gathers what a second brought. */
const LOOK_MS = 1_000;

interface HealthLogger {
  info(record: object, message: string): void;
  warn(record: object, message: string): void;
}

/** Logs changes of health of the endpoints whose actors live on this node. Returns the function that ends it. */
export function logHealth(
  { board, owns }: Pick<Cluster, 'board' | 'owns'>,
  clock: Clock,
  log: HealthLogger,
): () => void {
  let known = new Map<string, Endpoint['health']>();
  let waits = false;
  const look = (): void => {
    waits = false;
    const seen = new Map<string, Endpoint['health']>();
    for (const [id, value] of board.topic(ENDPOINTS_TOPIC)) {
      const { health: to, model, provider } = value as unknown as Endpoint;
      const from = known.get(id);
      seen.set(id, to);
      if (from === undefined || from === to || !owns(endpointAddress(id))) continue;
      log[to === 'healthy' ? 'info' : 'warn'](
        { endpoint: id, model, provider: provider.slug, from, to },
        'the health of an endpoint changed',
      );
    }
    known = seen;
  };
  return board.onChange(ENDPOINTS_TOPIC, () => {
    if (waits) return;
    waits = true;
    clock.after(LOOK_MS, look);
  });
}
