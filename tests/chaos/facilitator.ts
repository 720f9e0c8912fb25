import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SettledSeen } from '../support/auditor/payment-evidence.ts';
import { nodeArguments } from '../support/node-arguments.ts';
import { FACILITATOR_SECRET, railOf } from '../support/x402.ts';

const MAIN = fileURLToPath(new URL('../../gateway/simulator/facilitator/main.ts', import.meta.url));

/** The simulated facilitator of a run: a process with a ledger of its own. */
export class FacilitatorProcess {
  /** The rail for the cluster's configuration. */
  readonly overlay: object;
  readonly env = { FACILITATOR_SECRET } as const;
  readonly #child: ChildProcess;
  readonly #ledger: string;

  private constructor(child: ChildProcess, ledger: string, port: number) {
    this.#child = child;
    this.#ledger = ledger;
    this.overlay = { deposits: { x402: railOf(`http://127.0.0.1:${port}`) } };
  }

  /** The folder for its ledger. */
  static async start(folder: string): Promise<FacilitatorProcess> {
    const ledger = join(folder, 'facilitator.jsonl');
    const child = spawn(process.execPath, [...nodeArguments(MAIN), '--ledger', ledger], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, TROUPE_FACILITATOR_SECRET: FACILITATOR_SECRET },
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    child.stdout.resume();
    return new FacilitatorProcess(child, ledger, (JSON.parse(line.toString()) as { port: number }).port);
  }

  /** What it has settled so far, as its ledger says. */
  get settled(): readonly SettledSeen[] {
    if (!existsSync(this.#ledger)) return [];
    return readFileSync(this.#ledger, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as SettledSeen);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await gone;
  }
}
