/**
 * Whether a node accepts requests, and why it does not. `isolated`: out of contact with its store or its peers.
 * `draining`: requests on open connections are served. `left`: nothing is served any more.
 */
export type ServingState = 'ready' | 'starting' | 'isolated' | 'draining' | 'left';
