import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../gateway/operator/launcher/node-process.ts';
import { answered } from './answered.ts';
import { type Listening, listening } from './child.ts';
import type { Committed, Question, Stalls, Weight } from './measured-node.ts';

const ANSWERS = { weigh: null as unknown as Weight, stalls: null as unknown as Stalls, committed: null as Committed };

/** A node with memory measurement, over one simulated provider; each in its own process. */
export class Measured {
  readonly port: number;
  readonly key: string;
  readonly simulatorPort: number;
  readonly #child: ChildProcess;
  readonly #simulator: Listening;

  private constructor(
    child: ChildProcess,
    simulator: Listening,
    serves: { readonly port: number; readonly key: string },
  ) {
    this.#child = child;
    this.#simulator = simulator;
    this.simulatorPort = simulator.port;
    this.port = serves.port;
    this.key = serves.key;
  }

  static async start(): Promise<Measured> {
    const simulator = await listening('../../gateway/simulator/main.ts', ['--name', 'sim-a']);
    const path = fileURLToPath(new URL('./measured-node.ts', import.meta.url));
    const child = fork(path, [String(simulator.port)], { execArgv: ['--expose-gc', ...NODE_FLAGS] });
    return new Measured(child, simulator, await answered(child));
  }

  ask<Q extends Question>(question: Q): Promise<(typeof ANSWERS)[Q]> {
    const answer = answered<(typeof ANSWERS)[Q]>(this.#child);
    this.#child.send(question);
    return answer;
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
    await this.#simulator.stop();
  }
}
