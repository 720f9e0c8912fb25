import { LRUCache } from 'lru-cache';
import { type HalfHour, readHistory } from '../../../actors/endpoint/history.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';

/** Figures change with the half minute in which their attempts are committed. */
const REFRESH_MS = 60_000;
/** Half hours of all endpoints together that a node remembers: about 16 MB. */
const HALF_HOURS_MAX = 50_000;

interface Read {
  /** Store time of the read, ms. */
  readonly at: number;
  readonly halfHours: readonly HalfHour[];
}

/**
 * The last seven days of endpoints in half hours, for charts. A node reads the rows of an endpoint at most once a minute,
 * whoever asks, and one endpoint after the other for one request.
 */
export class EndpointHistories {
  readonly #cluster: Pick<Cluster, 'rows' | 'now'>;
  readonly #kept = new LRUCache<string, Read>({
    maxSize: HALF_HOURS_MAX,
    sizeCalculation: ({ halfHours }) => 1 + halfHours.length,
  });
  readonly #reading = new Map<string, Promise<readonly HalfHour[]>>();

  constructor(cluster: Pick<Cluster, 'rows' | 'now'>) {
    this.#cluster = cluster;
  }

  /** By endpoint id, oldest half hour first. Rejects while the store is out of reach. */
  async of(endpoints: readonly string[]): Promise<ReadonlyMap<string, readonly HalfHour[]>> {
    const histories = new Map<string, readonly HalfHour[]>();
    for (const endpoint of endpoints) histories.set(endpoint, this.#fresh(endpoint) ?? (await this.#read(endpoint)));
    return histories;
  }

  #fresh(endpoint: string): readonly HalfHour[] | null {
    const known = this.#kept.get(endpoint);
    return known !== undefined && this.#cluster.now() - known.at < REFRESH_MS ? known.halfHours : null;
  }

  /** Requests that ask for the same endpoint at once share one read. */
  #read(endpoint: string): Promise<readonly HalfHour[]> {
    const underWay = this.#reading.get(endpoint);
    if (underWay) return underWay;
    const at = this.#cluster.now();
    const reading = readHistory(this.#cluster, endpoint)
      .then((halfHours) => {
        this.#kept.set(endpoint, { at, halfHours });
        return halfHours;
      })
      .finally(() => this.#reading.delete(endpoint));
    this.#reading.set(endpoint, reading);
    return reading;
  }
}
