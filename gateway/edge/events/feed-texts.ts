import type { GatewayError } from '../../terms/gateway-error.ts';
import type { FeedEvent } from './feed-event.ts';

/** What a client of the feed receives, each as one JSON text. */
export interface FeedTexts {
  readonly event: (event: FeedEvent) => string;
  /**
   * The first event, at a store time; `resumed` is false where the cursor is too old and the client has to read anew.
   */
  readonly opened: (at: number, resumed: boolean) => string;
  /** The answer to a frame of a client. */
  readonly reply: (type: string, data: object) => string;
  /** The last event, where the node ends the feed; also the answer to a frame that is wrong. */
  readonly ended: (error: GatewayError) => string;
}
