import type { Socket } from 'node:net';
import type { Clock, Random } from '../../../actors/runtime/ports/clock.ts';
import type { Toxics } from './toxics.ts';

/** Bytes that one direction may buffer before its sender must wait. */
const HELD_BYTES_MAX = 4 * 1024 * 1024;

interface PipeParts {
  readonly from: Socket;
  readonly to: Socket;
  readonly clock: Clock;
  readonly random: Random;
  /** The current toxics. */
  readonly toxics: () => Toxics;
  /** Called with the number of stopped bytes. */
  readonly stopped: (bytes: number) => void;
  /** The data limit is used up. */
  readonly spent: () => void;
}

/** Carries the bytes of one direction of one connection, in order, with its current faults. */
export class Pipe {
  readonly #parts: PipeParts;
  /** Pieces in flight, in order, each with its arrival time; none overtakes another. */
  #underWay: { readonly at: number; readonly piece: Buffer }[] = [];
  #held = 0;
  #ended = false;
  #passed = 0;
  #waiting: Buffer[] = [];

  constructor(parts: PipeParts) {
    this.#parts = parts;
  }

  carry(bytes: Buffer): void {
    const { toxics, stopped, spent, from } = this.#parts;
    const { timeout, limitData, slicer } = toxics();
    if (timeout) {
      this.#waiting.push(bytes);
      from.pause();
      stopped(bytes.length);
      return;
    }
    if (limitData && this.#passed + bytes.length > limitData.bytes) {
      spent();
      return;
    }
    this.#passed += bytes.length;
    const size = slicer?.bytesMax ?? bytes.length;
    for (let start = 0; start < bytes.length; start += size) this.#send(bytes.subarray(start, start + size));
  }

  /** The toxics have changed: stopped bytes continue, as a sender retransmits unacknowledged bytes. */
  changed(): void {
    const { toxics, from } = this.#parts;
    if (toxics().timeout) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const bytes of waiting) this.carry(bytes);
    from.resume();
  }

  /** The sender has finished; the other side ends once everything has arrived. */
  end(): void {
    this.#ended = true;
    if (this.#underWay.length === 0) this.#parts.to.end();
  }

  #send(piece: Buffer): void {
    const { clock, random, from, toxics } = this.#parts;
    const { latency } = toxics();
    const last = this.#underWay.at(-1);
    if (!latency && !last) {
      this.#write(piece);
      return;
    }
    const delayMs = latency ? latency.ms + random.fraction() * (latency.jitterMs ?? 0) : 0;
    this.#underWay.push({ at: Math.max(last?.at ?? 0, clock.monotonic() + delayMs), piece });
    this.#held += piece.length;
    if (this.#held > HELD_BYTES_MAX) from.pause();
    if (!last) this.#await();
  }

  /** Waits until the first piece in flight arrives. */
  #await(): void {
    const { clock, from, to } = this.#parts;
    const first = this.#underWay[0];
    if (!first) {
      if (this.#ended) to.end();
      return;
    }
    clock.after(Math.max(1, first.at - clock.monotonic()), () => {
      const now = clock.monotonic();
      while (this.#underWay[0] && (this.#underWay[0] === first || this.#underWay[0].at <= now)) {
        const { piece } = this.#underWay.shift() as { piece: Buffer };
        this.#held -= piece.length;
        this.#write(piece);
      }
      if (this.#held <= HELD_BYTES_MAX && this.#waiting.length === 0) from.resume();
      this.#await();
    });
  }

  #write(piece: Buffer): void {
    const { from, to } = this.#parts;
    if (to.writable && !to.write(piece)) {
      from.pause();
      to.once('drain', () => {
        if (this.#waiting.length === 0) from.resume();
      });
    }
  }
}
