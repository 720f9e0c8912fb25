/**
 * Whether a node accepts requests, and why it does not. `isolated`: its store does not answer. `waking`: its own event
 * loop stalled for longer than its read lease; requests wait until its next heartbeat is answered. `draining`: requests
 * on open connections are served. `left`: nothing is served any more.
 */
export type ServingState = 'ready' | 'starting' | 'isolated' | 'waking' | 'draining' | 'left';
