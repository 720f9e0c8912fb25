import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The named moments at which a node can be made to die by its own hand, in the order of one request. */
export const CRASH_POINTS = [
  'hold.committed',
  'upstream.sent',
  'upstream.firstbyte',
  'settle.committed',
  'reply.sent',
] as const;

/**
 * Arms crash points in nodes that start later: a node reads its point once, when its process begins, and dies the n-th
 * time it comes by. Works on the built product as it is; the launcher only has to hand its environment on.
 */
export class CrashPoints {
  readonly #folder = mkdtempSync(join(tmpdir(), 'troupe-crash-'));

  /** For the launcher. */
  get env(): Readonly<Record<string, string>> {
    const preload = `--import ${new URL('./arm.mjs', import.meta.url).href}`;
    return {
      TROUPE_CRASH_FOLDER: this.#folder,
      NODE_OPTIONS: [process.env.NODE_OPTIONS, preload].filter(Boolean).join(' '),
    };
  }

  /** The next life of this node dies, or is stopped, when it comes by this point for the `times`-th time. */
  arm(node: string, point: string, times: number, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL'): void {
    writeFileSync(join(this.#folder, node), `${point}:${times}:${signal}`);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
