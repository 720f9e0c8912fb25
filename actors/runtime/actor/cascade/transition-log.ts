/** The owner at a step: the name of the node, and the epoch under which it served the shard. */
export interface Stepper {
  readonly epoch: number;
  readonly node: string;
}

/** One logged transition; `at` is store time, `from` and `to` are states. */
export type Transition = readonly [
  version: number,
  at: number,
  event: string,
  from: string,
  to: string,
  epoch: number,
  node: string,
];

/**
 * As stored: in full; or, if it directly follows the previous step of the same node and epoch, `[ms since that step,
 * event, state after if it changed]`; or only the ms if the event is also the same and did not change the state.
 */
type StoredStep = Transition | readonly [sinceMs: number, event: string, to?: string] | number;

const FULL = 7;

const CHUNKS = 5;

/**
 * The last transitions of one actor, newest last, as the JSON text in which they are stored. Each step becomes text
 * once and is then only appended, since an actor is written far more often than its log is read: 3 to 20 bytes a step.
 * The log drops whole chunks, so it holds up to a fifth more than `max`; readers get `max`. Texts are joined instead of
 * concatenated: V8 keeps a concatenation as a tree of its parts, and flattening one of 60 steps for the writer's thread
 * took 4.5 us, 10 in a busy node, where a flat text takes 0.3.
 */
export class TransitionLog {
  private readonly max: number;
  private readonly chunkMax: number;
  /** The owner of the steps that are added; restored steps keep their own. */
  private readonly stepper: Stepper;
  /** Lengths of the full chunks, oldest first. */
  private readonly chunks: number[] = [];
  /** Their text after the opening bracket, each followed by a comma. */
  private full = '[';
  private chunk = '';
  private inChunk = 0;
  private version = 0;
  private at = 0;
  private event = '';
  private state = '';
  private by: Stepper;

  constructor(max: number, stepper: Stepper) {
    this.max = max;
    this.chunkMax = Math.max(1, Math.ceil(max / CHUNKS));
    this.stepper = stepper;
    this.by = stepper;
  }

  /** A log of the same actor without steps. */
  emptied(): TransitionLog {
    return new TransitionLog(this.max, this.stepper);
  }

  add(version: number, at: number, event: string, from: string, to: string): void {
    this.append(this.stepper, version, at, event, from, to);
  }

  private append(by: Stepper, version: number, at: number, event: string, from: string, to: string): void {
    if (this.inChunk >= this.chunkMax) this.close();
    const isSame = by.epoch === this.by.epoch && by.node === this.by.node;
    const follows = this.inChunk > 0 && isSame && version === this.version + 1 && from === this.state;
    const step = follows
      ? this.following(at - this.at, event, to)
      : `[${version},${at},${quote(event)},${quote(from)},${quote(to)},${by.epoch},${quote(by.node)}]`;
    this.chunk = this.inChunk === 0 ? step : `${this.chunk},${step}`;
    this.event = event;
    this.inChunk++;
    this.version = version;
    this.at = at;
    this.state = to;
    this.by = by;
  }

  /** Appends the full chunk to the earlier ones and drops the oldest if there are too many. */
  private close(): void {
    const text = [this.chunk, ','].join('');
    const dropped = this.chunks.length < CHUNKS ? 0 : (this.chunks.shift() as number);
    this.chunks.push(text.length);
    this.full = ['[', this.full.slice(1 + dropped), text].join('');
    this.chunk = '';
    this.inChunk = 0;
  }

  private following(sinceMs: number, event: string, to: string): string {
    const same = to === this.state;
    if (same && event === this.event) return `${sinceMs}`;
    return `[${sinceMs},${quote(event)}${same ? '' : `,${quote(to)}`}]`;
  }

  /** The stored text without the newest `ahead` steps, which a later write carries. */
  text(ahead: number): string {
    if (ahead > 0) return this.without(ahead);
    return [this.full, this.chunk, ']'].join('');
  }

  /** At most `max`, newest last. */
  steps(): readonly Transition[] {
    return read(this.text(0)).slice(-this.max);
  }

  /**
   * Restores a stored text and returns the store time of its newest step, 0 for none. Never throws: no check sum covers
   * the text, and an unreadable text leaves the log empty.
   */
  restore(stored: string): number {
    this.appendAll(read(stored));
    return this.at;
  }

  private appendAll(steps: readonly Transition[]): void {
    for (const [version, at, event, from, to, epoch, node] of steps) {
      this.append({ epoch, node }, version, at, event, from, to);
    }
  }

  private without(ahead: number): string {
    const shorter = this.emptied();
    shorter.appendAll(read(this.text(0)).slice(0, -ahead));
    return shorter.text(0);
  }
}

/** The steps of a stored log, oldest first; an unreadable text has none. */
export function storedTransitions(stored: string) {
  return read(stored).map(([version, at, event, from, to, epoch, node]) => {
    return { version, at, event, from, to, epoch, node };
  });
}

function read(stored: string): readonly Transition[] {
  const steps: Transition[] = [];
  let [version, at, event, state, epoch, node] = [0, 0, '', '', 0, ''];
  for (const step of parse(stored)) {
    if (typeof step === 'number') steps.push([version + 1, at + step, event, state, state, epoch, node]);
    else if (step.length === FULL) steps.push(step);
    else steps.push([version + 1, at + step[0], step[1], state, step[2] ?? state, epoch, node]);
    [version, at, event, , state, epoch, node] = steps[steps.length - 1] as Transition;
  }
  return steps;
}

function parse(stored: string): readonly StoredStep[] {
  try {
    const parsed: unknown = JSON.parse(stored);
    return Array.isArray(parsed) && parsed.every(isStored) ? parsed : [];
  } catch {
    return [];
  }
}

function isStored(step: unknown): step is StoredStep {
  if (typeof step === 'number') return true;
  if (!Array.isArray(step)) return false;
  const kinds = (step as unknown[]).map((member) => typeof member).join();
  return kinds === FULL_KINDS || kinds === 'number,string' || kinds === 'number,string,string';
}

const FULL_KINDS = 'number,number,string,string,string,number,string';

const quoted = new Map<string, string>();
const QUOTED_MAX = 4_096;

/** The JSON text of an event type or state, cached because there are few distinct ones. */
function quote(word: string): string {
  let text = quoted.get(word);
  if (text === undefined) {
    text = JSON.stringify(word);
    if (quoted.size < QUOTED_MAX) quoted.set(word, text);
  }
  return text;
}
