import { noteRefusal, RECORDINGS_TOPIC, type RefusalRecording } from '../../actors/provider/refusals.ts';
import type { Cluster } from '../../actors/runtime/index.ts';
import type { Endpoint } from '../../actors/terms/endpoint.ts';
import type { RefusalSink } from '../providers/open.ts';
import { redactRefusal } from '../providers/redact-refusal.ts';
import type { ProviderKeys } from '../terms/provider-keys.ts';

/** Milliseconds between two refusals that one node records of one provider. */
const EVERY_MS = 1_000;

/**
 * Sends the raw refusals of a provider, redacted, to the provider's actor while the operator records them. Bounded by
 * the actor in number and time, and here in rate: a refusal in between is not recorded. Nothing reaches the log.
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

  /** For one call; undefined while the operator does not record this provider. */
  sinkFor({ id, provider: { slug } }: Endpoint, generation: string): RefusalSink | undefined {
    const recording = this.#cluster.board.topic(RECORDINGS_TOPIC).get(slug) as RefusalRecording | undefined;
    if (recording === undefined || this.#cluster.now() >= recording.until) return undefined;
    return (raw, failure, { body, turn }) => {
      const at = this.#cluster.now();
      if (at - (this.#last.get(slug) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
      this.#last.set(slug, at);
      const text = redactRefusal(raw, { body, messages: turn.messages, keys: this.#keys.values() });
      const code = failure.category;
      noteRefusal(this.#cluster, slug, {
        at: Math.floor(at),
        endpoint: id,
        generation,
        status: failure.status,
        code,
        text,
      });
    };
  }
}
