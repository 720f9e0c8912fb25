import type { ActorEvent, Cluster, Effect, Json, RowView, Stamped } from '../runtime/index.ts';
import type { Refusal, RefusedAnswer } from './refusal.ts';

/** Casts plain data declared as an interface to JSON. Only the type changes. */
export function plain(value: object): Json {
  return value as Json;
}

/** The first row requested as `as` for this event, in the kind's own type; null when there is none. */
export function firstRow<T>(event: Pick<Stamped, 'rows'>, as: string): T | null {
  return (event.rows[as]?.[0]?.body ?? null) as T | null;
}

/** All rows requested as `as` for this event. */
export function allRows(event: Pick<Stamped, 'rows'>, as: string): readonly RowView[] {
  return event.rows[as] ?? [];
}

/**
 * Repeats an ask unchanged after its owner was lost. Safe because the event has a natural id, is a read, or sets a
 * plain value. (`AskOptions.repeat`)
 */
function same(event: ActorEvent): ActorEvent {
  return event;
}

/**
 * Asks with an event that may be repeated unchanged (`same`); the answer is what the kind replies to it. Returns the
 * ask's promise itself without an async wrapper, because every request passes here.
 */
export function ask<T>(cluster: Pick<Cluster, 'ask'>, to: string, event: ActorEvent, withinMs: number): Promise<T> {
  return cluster.ask(to, event, { withinMs, repeat: same }) as Promise<unknown> as Promise<T>;
}

export function reply(body: object): Effect {
  return { type: 'reply', body: plain(body) };
}

/** Refuses the event. When another actor's step sent it, that step is rolled back as well. */
export function refuse(refusal: Refusal): Effect {
  return { type: 'refuse', body: plain({ refusal } satisfies RefusedAnswer) };
}
