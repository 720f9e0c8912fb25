import type { Socket } from 'node:net';
import type { Clock } from '../../../actors/runtime/ports/clock.ts';
import type { Random } from '../../../actors/runtime/ports/random.ts';
import type { Toxics } from './toxics.ts';

/** Bytes one direction may hold back before its sender has to wait. */
const HELD_BYTES_MAX = 4 * 1024 * 1024;

export interface PipeParts {
  readonly from: Socket;
  readonly to: Socket;
  readonly clock: Clock;
  readonly random: Random;
  /** As set at the moment. */
  readonly toxics: () => Toxics;
  /** So many bytes were stopped. */
  readonly stopped: (bytes: number) => void;
  /** The data limit is used up. */
  readonly spent: () => void;
}

/** Carries the bytes of one direction of one connection, in order, with whatever is wrong with it at the moment. */
export class Pipe {
  readonly #parts: PipeParts;
  /** Under way, in order, each with the time of its arrival: none overtakes another. */
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

  /** The toxics have changed: what was stopped goes on, as a sender would repeat what was never acknowledged. */
  changed(): void {
    const { toxics, from } = this.#parts;
    if (toxics().timeout) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const bytes of waiting) this.carry(bytes);
    from.resume();
  }

  /** The sender has finished; so does the other side once everything has arrived. */
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

  /** Until the first of those under way arrives. */
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
