import type { TurnEvent } from '../../terms/turn-event.ts';

interface HeldCall {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

/**
 * Events that arrive while the arguments of another call are incomplete: fragments of parallel calls may alternate, and
 * only one item of the output is open at a time. Each call is kept joined, other events in their order behind them.
 */
export class HeldEvents {
  #calls = new Map<number, HeldCall>();
  #others: TurnEvent[] = [];

  get size(): number {
    return this.#calls.size + this.#others.length;
  }

  start({ index, id, name }: Extract<TurnEvent, { type: 'tool-start' }>): void {
    this.#calls.set(index, { id, name, arguments: '' });
  }

  add({ index, arguments: piece }: Extract<TurnEvent, { type: 'tool-delta' }>): void {
    const call = this.#calls.get(index);
    if (call !== undefined) call.arguments += piece;
  }

  push(event: TurnEvent): void {
    this.#others.push(event);
  }

  /** Everything held, as events that no longer alternate. */
  take(): TurnEvent[] {
    const events: TurnEvent[] = [];
    for (const [index, { id, name, arguments: given }] of this.#calls) {
      events.push({ type: 'tool-start', index, id, name });
      if (given !== '') events.push({ type: 'tool-delta', index, arguments: given });
    }
    const all = events.concat(this.#others);
    this.#calls = new Map();
    this.#others = [];
    return all;
  }
}

/** Writes the events of one stream, each as one frame, numbered from 0 without a gap. (rule I88) */
export class EventWriter {
  #next = 0;

  /** `members` is JSON text with a comma before each member; upstream text appears in it only inside JSON strings. */
  write(type: string, members: string): string {
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#next++}${members}}\n\n`;
  }
}
