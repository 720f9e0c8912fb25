import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The named crash points of a node, in the order of one request. */
export const CRASH_POINTS = [
  'hold.committed',
  'upstream.sent',
  'upstream.firstbyte',
  'settle.committed',
  'reply.sent',
] as const;

/** The named crash points of a batch, in its order. */
export const BATCH_POINTS = [
  ...(['batch.accept.committed', 'line.dispatched', 'line.held', 'line.sent', 'line.firstbyte'] as const),
  ...(['line.sealed', 'line.settled', 'results.written', 'batch.final'] as const),
];

/** The named crash points of an x402 payment, in its order. */
export const PAYMENT_POINTS = ['payment.pending', 'payment.asked', 'payment.settled', 'payment.credited'] as const;

export function isOfPayment(point: string): boolean {
  return (PAYMENT_POINTS as readonly string[]).includes(point);
}

export function isOfBatch(point: string): boolean {
  return (BATCH_POINTS as readonly string[]).includes(point);
}

/**
 * Arms crash points in nodes that start later: a node reads its point once, at process start, and dies the n-th time it
 * reaches it. Works on the unmodified build; the launcher only has to pass its environment on.
 */
export class CrashPoints {
  readonly #folder = mkdtempSync(join(tmpdir(), 'troupe-crash-'));

  /** The environment of the launcher. */
  get env(): Readonly<Record<string, string>> {
    const preload = `--import ${new URL('./arm.mjs', import.meta.url).href}`;
    return {
      TROUPE_CRASH_FOLDER: this.#folder,
      NODE_OPTIONS: [process.env.NODE_OPTIONS, preload].filter(Boolean).join(' '),
    };
  }

  /** The next process of this node dies, or is stopped, when it reaches this point for the `times`-th time. */
  arm(node: string, point: string, times: number, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL'): void {
    writeFileSync(join(this.#folder, node), `${point}:${times}:${signal}`);
  }

  /** Of the next processes of these nodes, the first that reaches this point dies there; the others pass it. */
  armOneOf(nodes: readonly string[], point: string): void {
    for (const node of nodes) writeFileSync(join(this.#folder, node), `${point}:1:SIGKILL:once`);
  }

  /** True once a process has died at the point that `armOneOf` armed. */
  isReached(point: string): boolean {
    return existsSync(join(this.#folder, `${point}.reached`));
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
