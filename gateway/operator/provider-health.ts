/** What the endpoints of one provider add up to, for operators: how many serve, why the others do not, what failed last. */
import { explainFailure, type FailingList, judge, listText, observedIn } from '../../actors/endpoint/health.ts';
import type { EndpointRecord } from '../../actors/endpoint/record.ts';
import type { Inspection } from '../../actors/runtime/index.ts';
import type { DatedFailure } from '../../actors/terms/endpoint.ts';
import type { Pause } from '../../actors/terms/pause.ts';

const CAUSES_SHOWN_MAX = 3;

interface ProviderHealth {
  readonly endpoints: number;
  readonly serving: number;
  /** Such as `0 of 2 serve: connection refused (...) since 2026-01-01T09:51:00.000Z`. */
  readonly summary: string;
  /** The newest failing probe; null while the model list answers all of them. */
  readonly modelList: FailingList | null;
  readonly lastFailure: (DatedFailure & { readonly endpoint: string }) | null;
}

interface Cause {
  readonly text: string;
  readonly since: number;
}

/** `paused`: the pause of the provider. */
export function providerHealth(endpoints: readonly EndpointRecord[], paused: Pause | null): ProviderHealth {
  const causes = endpoints.map((one) => causeOf(one, paused ?? one.paused ?? null)).filter((one) => one !== null);
  const serving = endpoints.length - causes.length;
  const head = `${serving} of ${endpoints.length} serve`;
  const lists = endpoints.map(({ list }) => list).filter((list) => list !== null);
  const failures = endpoints.flatMap(({ id, lastFailure }) =>
    lastFailure === null ? [] : [{ ...lastFailure, endpoint: id }],
  );
  return {
    endpoints: endpoints.length,
    serving,
    summary: causes.length === 0 ? head : `${head}: ${summed(causes)}`,
    modelList: newest(lists),
    lastFailure: newest(failures),
  };
}

/** Those of the provider among all endpoints. */
export function endpointsAt(slug: string, all: readonly Inspection[]): readonly EndpointRecord[] {
  const records = all.map(({ context }) => context as unknown as EndpointRecord | null);
  return records.filter((one) => one !== null).filter(({ declaration }) => declaration?.provider.slug === slug);
}

export function explainProviderHealth(health: ProviderHealth): readonly string[] {
  const { endpoints, summary, modelList, lastFailure } = health;
  if (endpoints === 0) return [];
  return [
    `${summary}.`,
    ...(modelList === null ? [] : [`Its model list ${listText(modelList)}.`]),
    ...(lastFailure === null ? [] : explainFailure({ lastFailure, servedAt: null }, ` at ${lastFailure.endpoint}`)),
  ];
}

/** Why no request is answered there; null where the endpoint serves. One without attempts serves until it fails. */
function causeOf(record: EndpointRecord, paused: Pause | null): Cause | null {
  if (paused !== null) return { text: 'paused by the operator', since: paused.since };
  const { list, lastFailure, servedAt } = record;
  const { health, by } = judge(observedIn(record));
  const isFailing = lastFailure !== null && lastFailure.at > (servedAt ?? Number.NEGATIVE_INFINITY);
  if (health !== 'down' && (by === 'attempts' || !isFailing)) return null;
  return by === 'list' ? list : lastFailure;
}

/** The causes with the most endpoints first, each with its earliest time. */
function summed(causes: readonly Cause[]): string {
  const byText = new Map<string, { count: number; since: number }>();
  for (const { text, since } of causes) {
    const known = byText.get(text);
    byText.set(text, { count: (known?.count ?? 0) + 1, since: Math.min(since, known?.since ?? since) });
  }
  const groups = [...byText].sort(([, a], [, b]) => b.count - a.count);
  const texts = groups.slice(0, CAUSES_SHOWN_MAX).map(([text, { count, since }]) => {
    const times = groups.length === 1 ? '' : ` (${count})`;
    return `${text} since ${new Date(since).toISOString()}${times}`;
  });
  return texts.join('; ') + (groups.length > CAUSES_SHOWN_MAX ? '; ...' : '');
}

function newest<T extends { readonly at: number }>(all: readonly T[]): T | null {
  return all.reduce<T | null>((best, one) => (best === null || one.at > best.at ? one : best), null);
}
