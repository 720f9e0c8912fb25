import type { Answer } from '../../actor/answer.ts';
import type { Cell } from '../../actor/cell.ts';
import type { Fetched, Mail } from '../../actor/mail.ts';
import type { Unread } from '../../actor/resolve-rows.ts';
import type { Shard } from '../engine/shard.ts';
import type { Loader } from './loader.ts';

/** What a fetcher needs of the dispatcher. */
export interface Waking {
  cellOf(address: string, shard: Shard): Cell;
  wake(cell: Cell): void;
  tidy(cell: Cell): void;
}

/** How often the step of one message may be retried because an actor or row was missing. */
const TRIES_MAX = 64;

/**
 * Parks a message whose step lacked an actor or a row, fetches the missing item, pins it in memory for the message, and
 * wakes the actor. The actor processes no other message meanwhile, which preserves the order of its messages.
 */
export class Fetcher {
  private readonly loader: Loader;
  private readonly waking: Waking;

  constructor(loader: Loader, waking: Waking) {
    this.loader = loader;
    this.waking = waking;
  }

  /** `lacking` is the actor that is not loaded, or whose row is to be read. False after too many tries. */
  fetch(cell: Cell, mail: Mail, lacking: string, row: Unread | null): boolean {
    mail.fetched ??= { tries: 0, release: [], failure: null };
    const { fetched } = mail;
    if (++fetched.tries > TRIES_MAX) return false;
    cell.parked = mail;
    cell.awaiting = 1;
    const other = this.waking.cellOf(lacking, cell.shard as Shard);
    if (row === null) this.actor(cell, mail, fetched, other);
    else this.row(cell, mail, fetched, other, row);
    return true;
  }

  private actor(cell: Cell, mail: Mail, fetched: Fetched, other: Cell): void {
    other.pins++;
    fetched.release.push(() => {
      other.pins--;
      this.waking.tidy(other);
    });
    other.onLoaded.push((failure) => this.arrived(cell, mail, failure));
  }

  private row(cell: Cell, mail: Mail, fetched: Fetched, other: Cell, { collection, id }: Unread): void {
    const { rows } = other;
    const reading = rows.reading(collection, id);
    other.pins++;
    fetched.release.push(() => {
      rows.release(reading);
      other.pins--;
      this.waking.tidy(other);
    });
    this.loader.row(other, collection, id, (view, failure) => {
      if (failure === null) rows.arrived(reading, view);
      this.arrived(cell, mail, failure);
    });
  }

  private arrived(cell: Cell, mail: Mail, failure: Answer | null): void {
    if (cell.parked !== mail) return;
    if (mail.fetched !== null && failure !== null) mail.fetched.failure = failure;
    cell.awaiting = 0;
    if (cell.phase !== 'loading') this.waking.wake(cell);
  }
}
