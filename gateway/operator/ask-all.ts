/** Asks every actor of a kind. */
import type { Inspection, Operator } from '../../actors/runtime/index.ts';
import { askEach, isQuarantined, type Quarantined } from '../management/services.ts';

/** A node's own operator, or the client of one. */
export interface Inspector extends Pick<Operator, 'inspect' | 'actors'> {}

const PAGE = 1_000;

/** The addresses of a kind behind `after`, ascending, page by page. */
async function* addressesOf(
  operator: Pick<Inspector, 'actors'>,
  kind: string,
  after?: string,
): AsyncGenerator<readonly string[]> {
  let place = after === undefined ? null : { address: after, since: 0 };
  do {
    const query = { order: 'address', kind, limit: PAGE } as const;
    const page = await operator.actors(place === null ? query : { ...query, after: place });
    yield page.actors.map(({ address }) => address);
    place = page.next;
  } while (place !== null);
}

/** Every actor of a kind; one that is quarantined has no context. */
export async function inspectAll(operator: Inspector, kind: string): Promise<readonly Inspection[]> {
  const all: (Inspection | Quarantined | null)[] = [];
  for await (const addresses of addressesOf(operator, kind)) {
    all.push(...(await askEach(addresses, (address) => operator.inspect(address))));
  }
  return all.filter((one): one is Inspection => one !== null && !isQuarantined(one));
}
