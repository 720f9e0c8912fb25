import { joined, textHash, textShift } from './text-hash.ts';

/** One remembered transition: version, store time, event type, state before, state after. */
export type TrailStep = readonly [version: number, at: number, event: string, from: string, to: string];

/**
 * As stored: in full, or `[ms since the step before, event, state after if it changed]` where it follows on, or only the
 * ms where the event is the same one again and changed no state.
 */
type StoredStep = TrailStep | readonly [sinceMs: number, event: string, to?: string] | number;

const CHUNKS = 5;
const OPEN = textHash('[');

/** Steps as text, with a comma behind. */
interface Chunk {
  readonly length: number;
  readonly hash: number;
  readonly shift: number;
}

/**
 * The last transitions of one actor, newest last, as the JSON text they are stored in. Each step becomes text once and
 * is then only appended, since an actor is written far more often than its trail is read: 3 to 20 bytes a step. Whole
 * chunks are forgotten at a time, so that up to a fifth more than `max` is kept; readers see `max`. Texts are joined and
 * not added to one another: V8 keeps a sum as a tree of its parts, and walking that of 60 steps for the writer's thread
 * took 4.5 us, 10 in a busy node, where one in one piece takes 0.3.
 */
export class Trail {
  private readonly max: number;
  private readonly chunkMax: number;
  /** Full chunks, oldest first. */
  private readonly chunks: Chunk[] = [];
  /** Their text behind the opening bracket, and its hash. */
  private full = '[';
  private fullHash = OPEN;
  private chunk = '';
  private inChunk = 0;
  private version = 0;
  private at = 0;
  private event = '';
  private state = '';

  constructor(max: number) {
    this.max = max;
    this.chunkMax = Math.max(1, Math.ceil(max / CHUNKS));
  }

  add(version: number, at: number, event: string, from: string, to: string): void {
    if (this.inChunk >= this.chunkMax) this.close();
    const follows = this.inChunk > 0 && version === this.version + 1 && from === this.state;
    const step = follows
      ? this.following(at - this.at, event, to)
      : `[${version},${at},${quote(event)},${quote(from)},${quote(to)}]`;
    this.chunk = this.inChunk === 0 ? step : `${this.chunk},${step}`;
    this.event = event;
    this.inChunk++;
    this.version = version;
    this.at = at;
    this.state = to;
  }

  /** The chunk is full: it joins those before it, and the oldest is forgotten when they are too many. */
  private close(): void {
    const text = [this.chunk, ','].join('');
    const forgotten = this.chunks.length < CHUNKS ? 0 : (this.chunks.shift() as Chunk).length;
    this.chunks.push({ length: text.length, hash: textHash(text), shift: textShift(text) });
    this.full = ['[', this.full.slice(1 + forgotten), text].join('');
    this.fullHash = OPEN;
    for (const { hash, shift } of this.chunks) this.fullHash = joined(this.fullHash, hash, shift);
    this.chunk = '';
    this.inChunk = 0;
  }

  private following(sinceMs: number, event: string, to: string): string {
    const same = to === this.state;
    if (same && event === this.event) return `${sinceMs}`;
    return `[${sinceMs},${quote(event)}${same ? '' : `,${quote(to)}`}]`;
  }

  /** The stored text without the newest `ahead` steps, which a later write will carry. */
  text(ahead: number): string {
    if (ahead > 0) return this.without(ahead);
    return [this.full, this.chunk, ']'].join('');
  }

  /** The hash of `text(0)`, most of it without reading it. */
  hash(): number {
    return textHash(']', textHash(this.chunk, this.fullHash));
  }

  /** At most `max`, newest last. */
  steps(): readonly TrailStep[] {
    return read(this.text(0)).slice(-this.max);
  }

  /** Takes up what was stored; answers with the store time of the newest step, 0 if there is none. Never throws. */
  restore(stored: string): number {
    for (const step of read(stored)) this.add(...step);
    return this.at;
  }

  private without(ahead: number): string {
    const shorter = new Trail(this.max);
    for (const step of read(this.text(0)).slice(0, -ahead)) shorter.add(...step);
    return shorter.text(0);
  }
}

function read(stored: string): readonly TrailStep[] {
  const steps: TrailStep[] = [];
  let version = 0;
  let at = 0;
  let event = '';
  let state = '';
  for (const step of parse(stored)) {
    if (typeof step === 'number') steps.push([version + 1, at + step, event, state, state]);
    else if (step.length === 5) steps.push(step);
    else steps.push([version + 1, at + step[0], step[1], state, step[2] ?? state]);
    [version, at, event, , state] = steps[steps.length - 1] as TrailStep;
  }
  return steps;
}

function parse(stored: string): readonly StoredStep[] {
  try {
    const parsed: unknown = JSON.parse(stored);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

const quoted = new Map<string, string>();
const QUOTED_MAX = 4_096;

/** The JSON text of an event type or state; there are few of them, so they are remembered. */
function quote(word: string): string {
  let text = quoted.get(word);
  if (text === undefined) {
    text = JSON.stringify(word);
    if (quoted.size < QUOTED_MAX) quoted.set(word, text);
  }
  return text;
}
