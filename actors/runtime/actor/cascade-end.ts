/** How a cascade ended. Only `done` may be installed; for all others nothing has happened. */
export type CascadeEnd =
  | 'done'
  | 'failed'
  /** The chart of the asked actor has no transition for the event in its state. */
  | 'unhandled'
  /** The asked actor itself refused. */
  | 'refused'
  /** Another actor refused a message of the cascade, or its state has no transition for it. */
  | 'rejected'
  /** The asked actor does not exist, has ended, or is just being stopped (its end is not durable yet). */
  | 'absent'
  | 'finished'
  | 'stopping'
  /** Something must be fetched first, then the event is stepped again. */
  | 'lacks-actor'
  | 'lacks-row'
  /** The outbox of the shard takes nothing more for now. */
  | 'outbox-full';
