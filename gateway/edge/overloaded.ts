import { unavailable } from '../terms/gateway-error.ts';

/**
 * The refusal of a request that the node has no time for. One object, since making an error and logging it cost more
 * than the rest of the refusal; refused requests are counted instead (`troupe_requests_shed_total`).
 */
export const OVERLOADED = unavailable('the node has more work than time');
