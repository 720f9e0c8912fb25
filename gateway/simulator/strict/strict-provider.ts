import type { Wire } from '../answer/wire.ts';

/** One provider that enforces its published rules. */
export interface StrictProvider {
  /** How it refuses a request; null for one that it answers. */
  readonly refuses: (body: Readonly<Record<string, unknown>>) => StrictRefusal | null;
  /** The same for a responses request, where it has this second wire. */
  readonly refusesResponses?: (body: Readonly<Record<string, unknown>>) => StrictRefusal | null;
  /** The same for a text completion, where it continues texts. */
  readonly refusesCompletions?: (body: Readonly<Record<string, unknown>>) => StrictRefusal | null;
  /** How it writes the answers of chat completions; absent: in the common form. */
  readonly chatWire?: Wire;
}

export interface StrictRefusal {
  readonly status: number;
  readonly body: string;
}
