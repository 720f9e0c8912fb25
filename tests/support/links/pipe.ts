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
  /** When the last piece arrives: none overtakes another. */
  #lastAt = 0;
  #held = 0;
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

  end(): void {
    const { clock, to } = this.#parts;
    const waitMs = this.#lastAt - clock.monotonic();
    if (waitMs > 0) clock.after(waitMs, () => to.end());
    else to.end();
  }

  #send(piece: Buffer): void {
    const { clock, random, from, toxics } = this.#parts;
    const { latency } = toxics();
    const now = clock.monotonic();
    const delayMs = latency ? latency.ms + random.fraction() * (latency.jitterMs ?? 0) : 0;
    const at = Math.max(this.#lastAt, now + delayMs);
    if (at <= now) {
      this.#write(piece);
      return;
    }
    this.#lastAt = at;
    this.#held += piece.length;
    if (this.#held > HELD_BYTES_MAX) from.pause();
    clock.after(at - now, () => {
      this.#held -= piece.length;
      if (this.#held <= HELD_BYTES_MAX) from.resume();
      this.#write(piece);
    });
  }

  #write(piece: Buffer): void {
    const { from, to } = this.#parts;
    if (to.writable && !to.write(piece)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
  }
}
