/** Plain JSON data: the only data that crosses a process boundary or enters a snapshot. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** A message to an actor, as sent: a type (dotted noun.verb) and plain data. */
export interface ActorEvent {
  readonly type: string;
  readonly [key: string]: Json | undefined;
}

/** A row as passed to a chart. */
export interface RowView {
  readonly id: string;
  readonly body: Json;
}

/**
 * The members that the runtime adds before a chart receives the event. A chart has no other clock and no other store.
 */
export interface Stamped {
  /** Store time in ms, stamped once, never earlier than the actor's last event. */
  readonly at: number;
  /** The actor's own address. */
  readonly self: string;
  /** The rows that the kind requested for this event, by the name it gave them; an absent row is an empty list. */
  readonly rows: Readonly<Record<string, readonly RowView[]>>;
}
