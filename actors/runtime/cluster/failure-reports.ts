import type { Clock } from '../ports/clock.ts';
import type { NodeRow } from '../ports/store.ts';
import type { Transport } from '../ports/transport.ts';
import { type Log, textOf } from './log.ts';
import type { Member } from './member.ts';

const PROBE_MS = 300;
/** Pauses between the probes of one suspicion: a process that is just ending may still accept for a moment. */
const PAUSES_MS = [0, 5, 20, 50, 100, 200, 400, 800];

export interface FailureReportsParts {
  readonly host: string;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly member: Member;
  readonly log: Log;
  /** True while some link with this incarnation is open both ways: then there is nothing to ask. */
  readonly linked: (incarnation: string) => boolean;
}

/**
 * The question a lost link raises at once: is that process still there? A port of this host that refuses, or answers
 * with another incarnation, is proof, and its node is voted out. Silence proves nothing here; the heartbeat decides.
 */
export class FailureReports {
  readonly #parts: FailureReportsParts;
  readonly #asked = new Set<string>();
  #lastReason = '';
  #stopped = false;

  constructor(parts: FailureReportsParts) {
    this.#parts = parts;
  }

  /** Starts the question unless it is being asked already. */
  raise(incarnation: string): void {
    const row = this.#parts.member.alive(incarnation);
    if (!row || row.host !== this.#parts.host || this.#asked.has(incarnation) || this.#stopped) return;
    this.#asked.add(incarnation);
    this.#ask(row)
      .catch((error: unknown) => this.#complain(textOf(error)))
      .finally(() => this.#asked.delete(incarnation));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #ask(row: NodeRow): Promise<void> {
    const { member, transport, linked } = this.#parts;
    for (const pauseMs of PAUSES_MS) {
      if (pauseMs > 0) await this.#pause(pauseMs);
      if (this.#stopped || linked(row.incarnation) || !member.alive(row.incarnation)) return;
      const probe = await transport.probe(row.address, PROBE_MS);
      if (probe === 'silent' || this.#stopped) continue;
      if (probe !== 'refused' && probe.incarnation === row.incarnation) continue;
      const why = probe === 'refused' ? 'its port refuses' : 'another incarnation answers on its port';
      if (!member.fresh && !(await member.beat())) continue;
      if (await member.markDead({ incarnation: row.incarnation, why })) return;
      await member.beat();
    }
  }

  /** The store did not take the vote: one line per reason, the question comes again with the next lost dial. */
  #complain(why: string): void {
    if (this.#lastReason === why) return;
    this.#lastReason = why;
    this.#parts.log({ level: 'warn', message: 'vote failed', why });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(ms, resolve));
  }
}
