import { createHash } from 'node:crypto';
import { endpointsOn } from '../../actors/endpoint/endpoint.ts';
import type { Board } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import { endpointIndex } from './endpoints/endpoint-index.ts';
import { firstOf } from './rendezvous.ts';

/**
 * Board topics of conversations; keys are digests, values endpoint ids. Conversations that another endpoint served than
 * the first by rendezvous over all endpoints of the model are kept apart, so that the many others never displace them.
 */
export const MOVED_TOPIC = 'conversations.moved';
export const PLACED_TOPIC = 'conversations.placed';

const DIGEST_BYTES = 16;

/** A conversation as routing sees it. */
export interface Conversation {
  /** Distinct for every account and id; selects the endpoint of a new conversation. */
  readonly identity: string;
  /** Id of the endpoint that last served this model in the conversation; null when unknown. */
  lastOf(model: string): string | null;
}

/**
 * The endpoint that last served each conversation, known to every node: an answer that changes it is published on the
 * board, before the client has the end of that answer. The board keeps the newest; for others every node computes the
 * same choice. (rule I126, rule I127)
 */
export class Affinity {
  readonly #board: Board;

  constructor(board: Board) {
    this.#board = board;
  }

  /** Null for a turn without a conversation. */
  recall(account: string, id: string | undefined): Conversation | null {
    if (id === undefined) return null;
    const identity = `${account}\n${id}`;
    return { identity, lastOf: (model) => this.#last(keyOf(identity, model)) };
  }

  /** Publishes nothing if the endpoint is known to be the conversation's last one. */
  remember(account: string, id: string | undefined, { id: endpoint, model }: Endpoint): void {
    if (id === undefined) return;
    const identity = `${account}\n${id}`;
    const key = keyOf(identity, model);
    if (this.#last(key) === endpoint) return;
    const hasMoved = this.#board.read(MOVED_TOPIC, key) !== null || this.#firstOf(identity, model) !== endpoint;
    this.#board.publish(hasMoved ? MOVED_TOPIC : PLACED_TOPIC, key, endpoint);
  }

  #last(key: string): string | null {
    const last = this.#board.read(MOVED_TOPIC, key) ?? this.#board.read(PLACED_TOPIC, key);
    return typeof last === 'string' ? last : null;
  }

  /** Independent of health and of the turn, so that it is the same at any time. */
  #firstOf(identity: string, model: string): string | null {
    const { models } = endpointIndex(endpointsOn(this.#board));
    return firstOf(identity, models.get(model) ?? [])?.endpoint.id ?? null;
  }
}

/** A model keeps its own endpoint, since a conversation may use several models in turn. */
function keyOf(identity: string, model: string): string {
  const digest = createHash('sha256').update(`${identity}\n${model}`).digest();
  return digest.subarray(0, DIGEST_BYTES).toString('base64url');
}
