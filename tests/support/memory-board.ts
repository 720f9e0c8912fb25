import type { Board, Json } from '../../actors/runtime/index.ts';

/** The board of a cluster of one node, with fixed topics of actors. */
export class MemoryBoard implements Board {
  readonly #topics: Map<string, ReadonlyMap<string, Json>>;
  /** Topic, key and value of each publication of a node. */
  readonly published: (readonly [topic: string, key: string, value: Json])[] = [];

  constructor(topics: Readonly<Record<string, ReadonlyMap<string, Json>>> = {}) {
    this.#topics = new Map(Object.entries(topics));
  }

  topic(name: string): ReadonlyMap<string, Json> {
    return this.#topics.get(name) ?? new Map();
  }

  set(name: string, values: ReadonlyMap<string, Json>): void {
    this.#topics.set(name, values);
  }

  onChange(): () => void {
    return () => {};
  }

  read(topic: string, key: string): Json {
    return this.topic(topic).get(key) ?? null;
  }

  publish(topic: string, key: string, value: Json): void {
    this.published.push([topic, key, value]);
    this.#topics.set(topic, new Map(this.topic(topic)).set(key, value));
  }
}
