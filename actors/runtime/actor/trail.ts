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

/** Steps as text, without brackets. */
interface Chunk {
  readonly text: string;
  readonly hash: number;
  readonly shift: number;
}

/**
 * The last transitions of one actor, newest last, as the JSON text they are stored in. Each step becomes text once and
 * is then only appended, since an actor is written far more often than its trail is read: 3 to 20 bytes a step. Whole
 * chunks are forgotten at a time, so that up to a fifth more than `max` is kept; readers see `max`.
 */
export class Trail {
  private readonly max: number;
  private readonly chunkMax: number;
  /** Full chunks, oldest first, each a list of steps without its brackets. */
  private chunks: Chunk[] = [];
  private chunk = '';
  /** Hash of the chunk, and what a hash before it is multiplied by. */
  private chunkHash = 0;
  private chunkShift = 1;
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
    if (this.inChunk >= this.chunkMax) {
      if (this.chunks.length >= CHUNKS) this.chunks.shift();
      this.chunks.push({ text: this.chunk, hash: this.chunkHash, shift: this.chunkShift });
      this.chunkHash = 0;
      this.chunkShift = 1;
      this.inChunk = 0;
    }
    const follows = this.inChunk > 0 && version === this.version + 1 && from === this.state;
    const step = follows
      ? this.following(at - this.at, event, to)
      : `[${version},${at},${quote(event)},${quote(from)},${quote(to)}]`;
    const added = this.inChunk === 0 ? step : `,${step}`;
    this.chunk = this.inChunk === 0 ? step : this.chunk + added;
    this.chunkHash = textHash(added, this.chunkHash);
    this.chunkShift = textShift(added, this.chunkShift);
    this.event = event;
    this.inChunk++;
    this.version = version;
    this.at = at;
    this.state = to;
  }

  private following(sinceMs: number, event: string, to: string): string {
    const same = to === this.state;
    if (same && event === this.event) return `${sinceMs}`;
    return `[${sinceMs},${quote(event)}${same ? '' : `,${quote(to)}`}]`;
  }

  /** The stored text without the newest `ahead` steps, which a later write will carry. */
  text(ahead: number): string {
    if (ahead > 0) return this.without(ahead);
    let text = '[';
    for (const chunk of this.chunks) text += `${chunk.text},`;
    return `${text}${this.chunk}]`;
  }

  /** The hash of `text(0)`, without reading it. */
  hash(): number {
    let hash = OPEN;
    for (const chunk of this.chunks) hash = textHash(',', joined(hash, chunk.hash, chunk.shift));
    return textHash(']', joined(hash, this.chunkHash, this.chunkShift));
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
