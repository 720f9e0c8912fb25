import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Processes that take all the processor time they get, beside a run: each is one more that the nodes share it with. */
export class BusyLoops {
  readonly #children: readonly ChildProcess[];

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
  }

  static start(count: number): BusyLoops {
    const spin = (): ChildProcess => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    return new BusyLoops(Array.from({ length: count }, spin));
  }

  async stop(): Promise<void> {
    const running = this.#children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = running.map((child) => once(child, 'exit'));
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(ended);
  }
}
