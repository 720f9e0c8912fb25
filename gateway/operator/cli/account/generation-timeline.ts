/** Prints `troupe generation ID --timeline`: one request over all actors that it touched. */
import { pairs, table } from '../frame/print.ts';

export interface Timeline {
  readonly status: string;
  readonly account: string;
  readonly accountName: string | null;
  readonly model: string;
  readonly spans: readonly {
    readonly at: number;
    readonly endedAt: number | null;
    readonly actor: string;
    readonly what: string;
    readonly node: string | null;
    readonly epoch: number | null;
    readonly version: number | null;
    readonly detail: string | null;
  }[];
  readonly breaks: readonly { readonly at: number; readonly node: string; readonly why: string }[];
  readonly charge: readonly {
    readonly name: string;
    readonly quantity: string;
    readonly price: string | null;
    readonly amount: string | null;
  }[];
  readonly total: string | null;
  readonly held: string;
  readonly countedBy: string | null;
  readonly rounding: string | null;
  readonly hints: readonly string[];
}

export function renderTimeline(timeline: Timeline): string {
  const { status, account, accountName, model, spans, breaks, charge, hints } = timeline;
  const { total, held, countedBy, rounding } = timeline;
  const steps = spans.map(({ at, endedAt, actor, what, node, epoch, version, detail }) => [
    new Date(at).toISOString(),
    endedAt === null ? 'runs' : `${Math.max(0, Math.round(endedAt - at))} ms`,
    what,
    actor,
    node ?? '-',
    epoch ?? '-',
    version ?? '-',
    detail ?? '',
  ]);
  const parts = charge.map(({ name, quantity, price, amount }) => [name, quantity, price ?? '-', amount ?? '-']);
  return [
    pairs({ status, account: accountName ?? account, model, held, charged: total, 'counted by': countedBy, rounding }),
    ...hints,
    ...breaks.map(({ at, node, why }) => `${node} ended at ${new Date(at).toISOString()}: ${why}`),
    table(['AT', 'TOOK', 'WHAT', 'ACTOR', 'NODE', 'EPOCH', 'VERSION', 'DETAIL'], steps),
    ...(parts.length === 0 ? [] : [table(['PART', 'QUANTITY', 'PRICE USD', 'AMOUNT USD'], parts)]),
  ].join('\n\n');
}
