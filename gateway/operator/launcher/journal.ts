/**
 * `<data>/logs/launcher.log`: one JSON line per event of a process, with its reason, in the shape of the nodes' logs.
 * Never holds a secret.
 */
import { appendFileSync } from 'node:fs';
import type { Clock } from '../../../actors/runtime/index.ts';

export interface JournalEntry {
  /** Dotted noun.verb, such as `node.end`. */
  readonly event: string;
  readonly [member: string]: string | number | boolean | null;
}

export type Journal = (entry: JournalEntry) => void;

/** Entries are rare. An entry that cannot be written (full disk) is dropped, and the launcher continues. */
export function openJournal(file: string, clock: Clock): Journal {
  return (entry) => {
    try {
      appendFileSync(
        file,
        `${JSON.stringify({ level: 'info', time: new Date(clock.now()).toISOString(), ...entry })}\n`,
        {
          mode: 0o600,
        },
      );
    } catch {}
  };
}
