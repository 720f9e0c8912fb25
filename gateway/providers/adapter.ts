import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { Turn } from '../terms/turn.ts';
import type { ReplyReader } from './reply-reader.ts';

/** A turn as the request body of one endpoint. `ceiling` is the token ceiling it is sent. Throws `ProviderFailure`. */
export type BodyWriter = (turn: Turn, ceiling: number) => string;

/** One wire that providers speak: how a turn is written in it and how its answer is read. Keeps nothing itself. */
export interface Adapter {
  /** Added to a provider's base address. */
  readonly path: string;
  /** Works out once what of an offer decides how a turn is written for it. */
  writer(endpoint: Endpoint): BodyWriter;
  /** For one answer. `makeCallId` names a tool call that the provider left nameless. */
  reader(makeCallId: (index: number) => string): ReplyReader;
}
