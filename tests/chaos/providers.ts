import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelsDocument } from '../../gateway/catalogue/document/document-schema.ts';
import type { Call } from '../../gateway/simulator/calls/call-log.ts';
import type { ProviderDeclaration } from '../../gateway/terms/provider-declaration.ts';
import { buildFirst } from '../support/cluster/build-first.ts';
import { simulatedProvider } from '../support/provider/simulated-provider.ts';
import { ROOT } from '../support/sources.ts';
import { WIRES, wireModel } from './wires.ts';

const NAMES: Readonly<Record<string, string>> = {
  ...{ 'sim-a': 'Sim A', 'sim-b': 'Sim B', 'sim-c': 'Sim C', 'sim-v': 'Sim V' },
};
/** The providers of chats. */
const CHATS = ['sim-a', 'sim-b', 'sim-c'] as const;
/** The build, which starts in half the CPU time of the sources. */
const MAIN = join(ROOT, 'dist', 'gateway', 'simulator', 'main.js');

/** The simulated providers of a run, each a process with its own log. */
export class Providers {
  /** The providers as the cluster's configuration names them. */
  readonly declarations: readonly ProviderDeclaration[];
  /** Display name to slug. */
  readonly slugs: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(NAMES).map(([slug, name]) => [name, slug]),
  );
  readonly #children: readonly ChildProcess[];
  readonly #logs: readonly string[];

  private constructor(
    children: readonly ChildProcess[],
    logs: readonly string[],
    declarations: Providers['declarations'],
  ) {
    this.#children = children;
    this.#logs = logs;
    this.declarations = declarations;
  }

  /** The folder for the logs. */
  static async start(folder: string, slugs: readonly string[] = CHATS): Promise<Providers> {
    await buildFirst();
    const logs = slugs.map((slug) => join(folder, `${slug}.jsonl`));
    const children = slugs.map((slug, at) =>
      spawn(process.execPath, [MAIN, '--name', slug, '--log', logs[at] as string], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    const ports = await Promise.all(
      children.map(async (child) => {
        const [line] = (await once(child.stdout, 'data')) as [Buffer];
        child.stdout.resume();
        return (JSON.parse(line.toString()) as { port: number }).port;
      }),
    );
    const declarations = slugs.map((slug, at) =>
      speakingAllWires(simulatedProvider(slug, `http://127.0.0.1:${ports[at]}/v1`)),
    );
    return new Providers(children, logs, declarations);
  }

  /** Stops them cleanly, so that their logs are complete; returns every call they received. */
  async stop(): Promise<readonly Call[]> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        child.stdin?.end();
        await gone;
      }),
    );
    return this.#logs.flatMap((log) =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Call),
    );
  }
}

/** The same provider, which serves its plain model by every other wire too, under names of their own. */
function speakingAllWires(declared: ProviderDeclaration): ProviderDeclaration {
  const { data } = declared.models as ModelsDocument;
  const others = data
    .filter(({ id }) => id === 'sim/fast')
    .flatMap((model) => WIRES.map((dialect) => ({ ...model, id: wireModel(dialect), dialect })));
  return { ...declared, models: { data: [...data, ...others] } };
}
