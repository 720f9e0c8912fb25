/** How a cascade ended. Only `done` may be installed; after every other end nothing has happened. */
export type CascadeEnd =
  | 'done'
  | 'failed'
  /** The root actor's state has no transition for the event. */
  | 'unhandled'
  /** The root actor refused the event. */
  | 'refused'
  /** Another actor refused a message of the cascade, or its state has no transition for it. */
  | 'rejected'
  /** The root actor does not exist, has ended, or is being stopped (its end is not durable yet). */
  | 'absent'
  | 'finished'
  | 'stopping'
  /** An actor or a row must be loaded first; then the event is stepped again. */
  | 'lacking'
  /** The outbox of the shard accepts no further messages for now. */
  | 'outbox-full';
