import { setTimeout as sleep } from 'node:timers/promises';
import { type Offer, type Order, orderOf } from './orders.ts';

/**
 * Between two requests: often in the first rounds, until every endpoint has as many attempts as its health is judged
 * from, then as rarely as keeps its figures of half an hour.
 */
const OFTEN_MS = 300;
const RARELY_MS = 3_000;
const OFTEN_ROUNDS = 5;
/** After a refusal for the rate or the balance. */
const REFUSED_MS = 60_000;
/** Time of one request with its answer. */
const ANSWER_MS = 60_000;
const MODELS_MAX = 1_000;

interface CustomersOptions {
  readonly baseUrl: string;
  readonly key: string;
}

/** Calls the endpoints of the catalogue in turn, for ever: one request at a time. A failed call is part of the traffic. */
export async function serveCustomers(options: CustomersOptions): Promise<never> {
  for (let round = 0; ; round++) {
    const offers = await offersOf(options).catch(() => []);
    if (offers.length === 0) await sleep(RARELY_MS);
    for (const [nth, offer] of offers.entries()) {
      const order = orderOf(offer, round, nth);
      const status = order && (await placed(options, order));
      if (status === 429 || status === 402) await sleep(REFUSED_MS);
      else if (order) await sleep(round < OFTEN_ROUNDS ? OFTEN_MS : RARELY_MS);
    }
  }
}

/** Every endpoint of every model. */
async function offersOf(options: CustomersOptions): Promise<readonly Offer[]> {
  const models = await read<readonly Model[]>(options, '/models');
  const offers = models.slice(0, MODELS_MAX).map(async ({ id, architecture: { output_modalities: outputs } }) => {
    const { endpoints } = await read<{ endpoints: readonly { provider_slug: string }[] }>(
      options,
      `/models/${id}/endpoints`,
    );
    return endpoints.map(({ provider_slug: provider }): Offer => ({ model: id, outputs, provider }));
  });
  return (await Promise.all(offers)).flat();
}

interface Model {
  readonly id: string;
  readonly architecture: { readonly output_modalities: readonly string[] };
}

async function read<T>({ baseUrl }: CustomersOptions, path: string): Promise<T> {
  const response = await fetch(`${baseUrl}${path}`, { signal: AbortSignal.timeout(ANSWER_MS) });
  return ((await response.json()) as { data: T }).data;
}

/** Sends one request and reads its answer to the end; null if it could not be sent. */
async function placed({ baseUrl, key }: CustomersOptions, { path, body }: Order): Promise<number | null> {
  try {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    for await (const _ of response.body ?? []);
    return response.status;
  } catch {
    return null;
  }
}
