import { noteRefusal, RECORDINGS_TOPIC, type RefusalRecording } from '../../../actors/provider/refusals.ts';
import type { Cluster } from '../../../actors/runtime/index.ts';
import type { Endpoint } from '../../../actors/terms/endpoint.ts';
import type { RefusalSink } from '../../providers/call/open.ts';
import type { ProviderFailure } from '../../providers/provider-failure.ts';
import { redactRefusal, type SentRequest } from '../../providers/refusal/redact-refusal.ts';
import { refusalWords } from '../../providers/refusal-words.ts';
import type { ProviderKeys } from '../../terms/provider-declaration.ts';

/** Milliseconds between two refusals that one node records of one provider. */
const EVERY_MS = 1_000;

/**
 * Reads what providers answer instead of an answer: gives each failure its redacted words, and sends the whole text,
 * redacted, to the provider's actor while the operator records it. The record is bounded by the actor in number and
 * time, and here in rate: a refusal in between is not recorded. Nothing reaches the log.
 */
export class RefusalRecorder {
  readonly #cluster: Cluster;
  readonly #keys: ProviderKeys;
  /** Store time of the last recorded refusal, by provider slug. */
  readonly #last = new Map<string, number>();

  constructor(cluster: Cluster, keys: ProviderKeys) {
    this.#cluster = cluster;
    this.#keys = keys;
  }

  /** For one call. */
  sinkFor(endpoint: Endpoint, generation: string): RefusalSink {
    return (raw, failure, { body, turn }) => {
      const sent = { body, messages: turn.messages, keys: [...this.#keys.values()] };
      if (failure.isProvidersFault) failure.words = refusalWords(raw, sent);
      if (this.#records(endpoint.provider.slug)) this.#record(raw, failure, { endpoint, generation, sent });
    };
  }

  #records(slug: string): boolean {
    const recording = this.#cluster.board.topic(RECORDINGS_TOPIC).get(slug) as RefusalRecording | undefined;
    const now = this.#cluster.now();
    if (recording === undefined || now >= recording.until) return false;
    return now - (this.#last.get(slug) ?? Number.NEGATIVE_INFINITY) >= EVERY_MS;
  }

  #record(raw: string, failure: ProviderFailure, { endpoint, generation, sent }: RefusedCall): void {
    const { slug } = endpoint.provider;
    const at = this.#cluster.now();
    this.#last.set(slug, at);
    noteRefusal(this.#cluster, slug, {
      at: Math.floor(at),
      endpoint: endpoint.id,
      generation,
      status: failure.status,
      code: failure.category,
      text: redactRefusal(raw, sent),
    });
  }
}

interface RefusedCall {
  readonly endpoint: Endpoint;
  readonly generation: string;
  readonly sent: SentRequest;
}
