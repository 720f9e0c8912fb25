import type { Json } from '../actor/event.ts';
import type { Publication } from '../durable/engine/engine.ts';
import type { Board } from './cluster.ts';
import { type Log, textOf } from './log.ts';
import type { BoardDigest } from './signal.ts';

/** Bound on the keys of one topic, removed ones included. Further keys are dropped and logged once per topic. */
const KEYS_PER_TOPIC_MAX = 65_536;
const TOPICS_MAX = 256;

interface Topic {
  readonly items: Map<string, Publication>;
  readonly listeners: Set<() => void>;
  view: ReadonlyMap<string, Json> | null;
  full: boolean;
}

/**
 * This node's complete, volatile copy of the published values. The newer value wins: higher epoch, then higher version.
 * A removed key leaves a tombstone so that an older value cannot restore it.
 */
export class NoticeBoard implements Board {
  readonly #log: Log;
  readonly #topics = new Map<string, Topic>();

  constructor(log: Log) {
    this.#log = log;
  }

  topic(name: string): ReadonlyMap<string, Json> {
    const topic = this.#topic(name);
    if (topic === null) return new Map();
    topic.view ??= new Map(
      [...topic.items.values()].filter((item) => item.value !== null).map((item) => [item.key, item.value]),
    );
    return topic.view;
  }

  onChange(name: string, changed: () => void): () => void {
    const topic = this.#topic(name);
    topic?.listeners.add(changed);
    return () => topic?.listeners.delete(changed);
  }

  /** Applies values at least as new as the held ones (one step may publish a key twice) and notifies the topics' listeners. */
  apply(items: readonly Publication[]): void {
    const changed = new Set<Topic>();
    for (const item of items) {
      const topic = this.#topic(item.topic);
      if (topic !== null && this.#put(topic, item)) changed.add(topic);
    }
    for (const topic of changed) {
      topic.view = null;
      for (const listener of topic.listeners) this.#tell(listener);
    }
  }

  digest(): readonly BoardDigest[] {
    return this.#all().map(({ topic, key, epoch, version }) => [topic, key, epoch, version]);
  }

  /** Values that are newer than the digest's, or that it lacks. */
  newerThan(digest: readonly BoardDigest[]): readonly Publication[] {
    const theirs = new Map(digest.map((entry) => [`${entry[0]}\n${entry[1]}`, entry]));
    return this.#all().filter((item) => {
      const entry = theirs.get(`${item.topic}\n${item.key}`);
      return !entry || item.epoch > entry[2] || (item.epoch === entry[2] && item.version > entry[3]);
    });
  }

  #all(): readonly Publication[] {
    return [...this.#topics.values()].flatMap((topic) => [...topic.items.values()]);
  }

  #put(topic: Topic, item: Publication): boolean {
    const held = topic.items.get(item.key);
    if (held && (held.epoch > item.epoch || (held.epoch === item.epoch && held.version > item.version))) return false;
    if (!held && topic.items.size >= KEYS_PER_TOPIC_MAX) {
      if (!topic.full) this.#log({ level: 'error', message: 'board topic is full', topic: item.topic });
      topic.full = true;
      return false;
    }
    topic.items.set(item.key, item);
    return true;
  }

  #topic(name: string): Topic | null {
    const known = this.#topics.get(name);
    if (known) return known;
    if (this.#topics.size >= TOPICS_MAX) return null;
    const topic: Topic = { items: new Map(), listeners: new Set(), view: null, full: false };
    this.#topics.set(name, topic);
    return topic;
  }

  #tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#log({ level: 'error', message: 'board listener threw', why: textOf(error) });
    }
  }
}
