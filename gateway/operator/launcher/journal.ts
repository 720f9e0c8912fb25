/** `<data>/launcher.log`: one JSON line per thing that happened to a process, with its reason. Never a secret. */
import { appendFileSync } from 'node:fs';
import type { Clock } from '../../../actors/runtime/index.ts';

export interface JournalEntry {
  /** Dotted noun.verb, such as `node.end`. */
  readonly event: string;
  readonly [member: string]: string | number | boolean | null;
}

export type Journal = (entry: JournalEntry) => void;

/** Entries are rare. One that cannot be written (the disk is full) is lost: the launcher goes on. */
export function openJournal(file: string, clock: Clock): Journal {
  return (entry) => {
    try {
      appendFileSync(file, `${JSON.stringify({ at: new Date(clock.now()).toISOString(), ...entry })}\n`, {
        mode: 0o600,
      });
    } catch {}
  };
}
