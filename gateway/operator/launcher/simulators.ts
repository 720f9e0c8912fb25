/**
 * The simulated providers of the demo, in processes that serve one or several of them, and its simulated facilitator of
 * payments: started before the nodes, stopped after them, restarted on the same port when one ends. Not used if real
 * providers are configured.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { LauncherLimits } from '../../terms/config/config.ts';
import type { X402Config } from '../../terms/config/deposit-config.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Journal } from './journal.ts';
import { openLog } from './log-files.ts';
import { restartDelay } from './watchdog.ts';

interface SimulatorsOptions {
  readonly count: number;
  /**
   * The launcher's own module, `gateway/operator/cli/main`: locates the simulator, and tells whether it runs from the
   * build.
   */
  readonly entry: string;
  readonly logs: string;
  /** The data folder: keeps the models documents, and the payments that the facilitator has settled. */
  readonly data: string;
  /** Authenticates the nodes to the facilitator. */
  readonly facilitatorSecret: string;
  readonly limits: LauncherLimits;
  readonly clock: Clock;
  readonly journal: Journal;
}

export interface Simulators {
  /** Provider declarations for the nodes. */
  readonly providers: readonly ProviderDeclaration[];
  /** The rail of the simulated facilitator. */
  readonly x402: X402Config;
  stop(withinMs: number): Promise<void>;
}

const START_MS_MAX = 15_000;
/** The variable that passes the facilitator's secret to it and to the nodes. */
export const FACILITATOR_SECRET = 'TROUPE_FACILITATOR_SECRET';
/** A test network; no coin moves. */
const SIMULATED_RAIL = {
  secretEnv: FACILITATOR_SECRET,
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  assetName: 'USDC',
  assetVersion: '2',
  assetDecimals: 6,
  payTo: '0x1111111111111111111111111111111111111111',
} as const;

/**
 * An entry of `providers.json`, by slug: a declaration without its address. `servedBy` names the simulator whose process
 * serves it too.
 */
type Simulated = Omit<ProviderDeclaration, 'slug' | 'baseUrl' | 'models'> & { readonly servedBy?: string };

/** Starts the simulators; throws ConfigError if one does not listen in time. */
export async function startSimulators(options: SimulatorsOptions): Promise<Simulators> {
  const folder = resolve(options.entry, '../../../simulator');
  const main = join(folder, `main${extname(options.entry)}`);
  if (!existsSync(main)) {
    throw new ConfigError(
      `the provider simulator is not built (${main}); run \`npm run build\`, or set demo.enabled to false`,
    );
  }
  /** Each simulator writes its models documents here before it listens. */
  const documents = join(options.data, 'simulator');
  await mkdir(documents, { recursive: true });
  const simulated = JSON.parse(await readFile(join(folder, 'providers.json'), 'utf8')) as Record<string, Simulated>;
  const slugs = Object.keys(simulated).filter((slug) => simulated[slug]?.servedBy === undefined);
  if (options.count > slugs.length) {
    throw new ConfigError(`demo.simulators is ${options.count}, but only ${slugs.length} exist; lower it`);
  }
  const providers = slugs.slice(0, options.count).map((slug) => {
    const calls = join(options.logs, `${slug}.calls.log`);
    return new Simulator(
      { name: slug, main, args: ['--name', slug, '--log', calls, '--documents', documents] },
      options,
    );
  });
  const facilitator = new Simulator(
    {
      name: 'facilitator',
      main: join(folder, 'facilitator', `main${extname(options.entry)}`),
      args: ['--ledger', join(options.data, 'facilitator.ledger.jsonl')],
    },
    options,
  );
  const all = [...providers, facilitator];
  try {
    await Promise.all(all.map((one) => one.start()));
  } catch (error) {
    await Promise.all(all.map((one) => one.stop(0)));
    throw error;
  }
  return {
    providers: Object.entries(simulated).flatMap(([slug, { servedBy, ...declaration }]) => {
      const host = providers.find((one) => one.name === (servedBy ?? slug));
      if (host === undefined) return [];
      const origin = `http://127.0.0.1:${host.port}`;
      const baseUrl = servedBy === undefined ? `${origin}/v1` : `${origin}/${slug}/v1`;
      return [{ slug, ...declaration, baseUrl, models: join(documents, `${slug}.models.json`) }];
    }),
    x402: { ...SIMULATED_RAIL, facilitator: `http://127.0.0.1:${facilitator.port}` },
    stop: async (withinMs) => {
      await Promise.all(all.map((one) => one.stop(withinMs)));
    },
  };
}

/** What runs as one process. */
interface Program {
  readonly name: string;
  readonly main: string;
  readonly args: readonly string[];
}

class Simulator {
  readonly name: string;
  port = 0;
  private readonly program: Program;
  private readonly options: SimulatorsOptions;
  private child: ChildProcess | null = null;
  private failures = 0;
  private stopping = false;
  private restart: Cancel | null = null;

  constructor(program: Program, options: SimulatorsOptions) {
    this.name = program.name;
    this.program = program;
    this.options = options;
  }

  /** Resolves once the simulator listens. */
  async start(): Promise<void> {
    this.port = await this.launch();
  }

  async stop(withinMs: number): Promise<void> {
    this.stopping = true;
    this.restart?.();
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    const late = this.options.clock.after(withinMs, () => child.kill('SIGKILL'));
    await gone;
    late();
  }

  private launch(): Promise<number> {
    const { clock, journal, logs, facilitatorSecret } = this.options;
    const errors = openLog(join(logs, `${this.name}.log`));
    const args = [...process.execArgv, this.program.main, ...this.program.args, '--port', String(this.port)];
    const env = { ...process.env, [FACILITATOR_SECRET]: facilitatorSecret };
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', errors], env });
    if (errors !== 'ignore') closeSync(errors);
    this.child = child;
    journal({ event: 'simulator.start', simulator: this.name, pid: child.pid ?? null });
    return new Promise((resolve, reject) => {
      const fail = (why: string): void =>
        reject(new ConfigError(`simulator ${this.name} did not start: ${why}; see ${join(logs, `${this.name}.log`)}`));
      const late = clock.after(START_MS_MAX, () => fail(`it was not listening after ${START_MS_MAX} ms`));
      let output = '';
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        if (this.port !== 0) return;
        output += chunk;
        const line = /^\{.*"port":\s*(\d+).*\}\s*$/m.exec(output);
        if (line) resolve(Number(line[1]));
      });
      child.on('error', (error) => fail(error.message));
      child.on('exit', (code, signal) => {
        late();
        fail(`it ended with ${signal ?? `code ${code}`}`);
        this.ended(code, signal);
      });
      child.stdout?.once('data', () => late());
    });
  }

  private ended(code: number | null, signal: string | null): void {
    this.failures++;
    const delayMs = this.stopping || this.port === 0 ? null : restartDelay(this.failures, this.options.limits);
    const { clock, journal } = this.options;
    journal({ event: 'simulator.end', simulator: this.name, code, signal, restartInMs: delayMs });
    // Restart on the same port, which the nodes have been given; a failure shows in the next exit.
    if (delayMs !== null) this.restart = clock.after(delayMs, () => void this.launch().catch(() => {}));
  }
}
