import type { Json } from '../actor/event.ts';
import type { Publication } from '../durable/engine.ts';
import { type Log, textOf } from '../ports/log.ts';
import type { BoardDigest } from './signal.ts';

/** Bound on the keys of one topic, removed ones included. Further keys are dropped and logged once per topic. */
const KEYS_PER_TOPIC_MAX = 65_536;
/** A topic that reaches so many keys is logged, while there is room left. */
const KEYS_PER_TOPIC_WARNED = 57_344;
/** Bound on the keys of one topic of nodes. A further key replaces the oldest one. */
const NODE_KEYS_PER_TOPIC_MAX = 50_000;
const TOPICS_MAX = 256;

interface Topic {
  readonly items: Map<string, Publication>;
  readonly listeners: Set<() => void>;
  view: ReadonlyMap<string, Json> | null;
  full: boolean;
}

/**
 * This node's complete, volatile copy of the published values. The newer value wins: higher epoch, then higher version,
 * then, of two nodes, the higher incarnation. A removed key leaves a tombstone so that an older value cannot restore
 * it.
 */
export class NoticeBoard {
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

  read(topic: string, key: string): Json {
    return this.#topics.get(topic)?.items.get(key)?.value ?? null;
  }

  /** Epoch of the value held under a key; 0 without one. */
  epochOf(topic: string, key: string): number {
    return this.#topics.get(topic)?.items.get(key)?.epoch ?? 0;
  }

  onChange(name: string, changed: () => void): () => void {
    const topic = this.#topic(name);
    topic?.listeners.add(changed);
    return () => topic?.listeners.delete(changed);
  }

  /**
   * Applies values at least as new as the held ones (one step may publish a key twice) and notifies the topics'
   * listeners.
   */
  apply(items: readonly Publication[]): void {
    const changed = new Set<Topic>();
    for (const item of items) {
      const topic = this.#topic(item.topic);
      if (topic !== null && this.#put(topic, item)) changed.add(topic);
    }
    for (const topic of changed) {
      topic.view = null;
      for (const listener of topic.listeners) this.#notify(listener);
    }
  }

  /**
   * One entry per key of an actor. Of nodes one entry per topic and publisher, with its highest sequence number: a link
   * keeps its order, so nothing below that number is missing.
   */
  digest(): readonly BoardDigest[] {
    const entries: BoardDigest[] = [];
    for (const [topic, { items }] of this.#topics) {
      const highest = new Map<string, number>();
      for (const item of items.values()) {
        const { key, address, epoch, version } = item;
        if (!isOfNode(item)) entries.push([topic, key, epoch, version]);
        else if (version > (highest.get(address) ?? 0)) highest.set(address, version);
      }
      for (const [address, version] of highest) entries.push([topic, address, 0, version]);
    }
    return entries;
  }

  /** Values that are newer than the digest's, or that it lacks. */
  newerThan(digest: readonly BoardDigest[]): readonly Publication[] {
    const theirs = new Map(digest.map((entry) => [`${entry[0]}\n${entry[1]}`, entry]));
    return this.#all().filter((item) => {
      const entry = theirs.get(`${item.topic}\n${isOfNode(item) ? item.address : item.key}`);
      if (isOfNode(item)) return item.version > (entry?.[3] ?? 0);
      return !entry || item.epoch > entry[2] || (item.epoch === entry[2] && item.version > entry[3]);
    });
  }

  /** The values that this node published at or after this store time, in order. */
  ofNode(incarnation: string, since: number): readonly Publication[] {
    return this.#all().filter(({ address, epoch }) => address === incarnation && epoch >= since);
  }

  #all(): readonly Publication[] {
    return [...this.#topics.values()].flatMap((topic) => [...topic.items.values()]);
  }

  #put(topic: Topic, item: Publication): boolean {
    const held = topic.items.get(item.key);
    if (isOfNode(item)) return putOfNode(topic, item, held);
    if (held && (held.epoch > item.epoch || (held.epoch === item.epoch && held.version > item.version))) return false;
    if (!held && topic.items.size >= KEYS_PER_TOPIC_MAX) {
      if (!topic.full) this.#log({ level: 'error', message: 'board topic is full', topic: item.topic });
      topic.full = true;
      return false;
    }
    topic.items.set(item.key, item);
    if (!held && topic.items.size === KEYS_PER_TOPIC_WARNED) {
      const { topic: name } = item;
      this.#log({ level: 'warn', message: 'board topic is nearly full', topic: name, keysMax: KEYS_PER_TOPIC_MAX });
    }
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

  #notify(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#log({ level: 'error', message: 'board listener threw', why: textOf(error) });
    }
  }
}

/** Addresses of actors contain a colon, incarnations do not. */
function isOfNode({ address }: Publication): boolean {
  return !address.includes(':');
}

/** Keeps the items in the order of their arrival, so that the first one is the oldest. */
function putOfNode({ items }: Topic, item: Publication, held: Publication | undefined): boolean {
  if (held && !isLater(item, held)) return false;
  if (held) items.delete(item.key);
  else if (items.size >= NODE_KEYS_PER_TOPIC_MAX) {
    const [oldest] = items.values();
    if (!oldest || isLater(oldest, item)) return false;
    items.delete(oldest.key);
  }
  items.set(item.key, item);
  return true;
}

/** A total order, so that all boards keep the same one of two values. */
function isLater(item: Publication, other: Publication): boolean {
  if (item.epoch !== other.epoch) return item.epoch > other.epoch;
  return item.version === other.version ? item.address > other.address : item.version > other.version;
}
