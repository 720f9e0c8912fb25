import type { Clock } from '../../ports/clock.ts';
import { type Log, textOf } from '../../ports/log.ts';
import type { NodeRow } from '../../ports/store.ts';
import type { Transport } from '../../ports/transport.ts';
import type { Member } from './member.ts';

const PROBE_MS = 300;
/** Pauses between the probes of one suspect: a process that is ending may still accept connections for a moment. */
const PAUSES_MS = [0, 5, 20, 50, 100, 200, 400, 800];

interface FailureReportsParts {
  readonly host: string;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly member: Member;
  readonly log: Log;
  /** True while a link with this incarnation is open both ways, which makes a probe unnecessary. */
  readonly linked: (incarnation: string) => boolean;
}

/**
 * Probes the process behind a lost link at once. A port of this host that refuses, or answers with another incarnation,
 * is proof that the process has ended, and its node is voted out. Silence is no proof; the heartbeat decides then.
 */
export class FailureReports {
  readonly #parts: FailureReportsParts;
  readonly #probing = new Set<string>();
  #lastFailure = '';
  #stopped = false;

  constructor(parts: FailureReportsParts) {
    this.#parts = parts;
  }

  /** Starts to probe the incarnation unless it is being probed already. */
  raise(incarnation: string): void {
    const row = this.#parts.member.alive(incarnation);
    if (!row || row.host !== this.#parts.host || this.#probing.has(incarnation) || this.#stopped) return;
    this.#probing.add(incarnation);
    this.#probe(row, this.#parts.clock.monotonic())
      .catch((error: unknown) => this.#warn(textOf(error)))
      .finally(() => this.#probing.delete(incarnation));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #probe(row: NodeRow, suspectedAt: number): Promise<void> {
    const { clock, member, transport, linked } = this.#parts;
    for (const pauseMs of PAUSES_MS) {
      if (pauseMs > 0) await this.#pause(pauseMs);
      if (this.#stopped || linked(row.incarnation) || !member.alive(row.incarnation)) return;
      const probe = await transport.probe(row.address, PROBE_MS);
      if (probe === 'silent' || this.#stopped) continue;
      if (probe !== 'refused' && probe.incarnation === row.incarnation) continue;
      const why = probe === 'refused' ? 'its port refuses' : 'another incarnation answers on its port';
      if (!member.fresh && !(await member.beat())) continue;
      const suspectedMs = clock.monotonic() - suspectedAt;
      if (await member.markDead({ incarnation: row.incarnation, why, suspectedMs })) return;
      await member.beat();
    }
  }

  /** Logs a vote that the store did not record, once per reason. The next lost dial starts the probes again. */
  #warn(why: string): void {
    if (this.#lastFailure === why) return;
    this.#lastFailure = why;
    this.#parts.log({ level: 'warn', message: 'vote failed', why });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(ms, resolve));
  }
}
