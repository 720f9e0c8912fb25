/**
 * `troupe up`: starts a cluster and runs until it is stopped. The first signal drains every node, a later one stops
 * everything at once.
 */
import { resolve } from 'node:path';
import { systemClock, systemRandom } from '../../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../../terms/config/config.ts';
import { ConfigError, linesOf } from '../../config/config-error.ts';
import { loadConfig } from '../../config/load.ts';
import type { ConnectionNode } from '../../launcher/connection.ts';
import { closeDemoAccount, openDemoAccount } from '../../launcher/demo-account.ts';
import { type DemoAccount, Launcher } from '../../launcher/launcher.ts';
import { EXIT_FORCED } from '../../launcher/message.ts';
import { StopSignals } from '../../launcher/stop-signals.ts';
import { type Given, local } from '../frame/command.ts';
import { fromConnection } from '../frame/find-cluster.ts';
import type { OperatorApi } from '../frame/operator-api.ts';
import { START_OPTIONS } from './start-options.ts';
import { voidKeys } from './void-keys.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const { '--log-level <level>': LOG_LEVEL, '--new-pepper': NEW_PEPPER } = START_OPTIONS;
const OPTIONS = {
  '--port <port>': { meaning: 'the port of the public API (0 takes a free one)', parse: portFrom },
  '--host <host>': 'the address that the public API listens on, such as 0.0.0.0',
  '--log-level <level>': LOG_LEVEL,
  '--demo': 'use simulated providers, also on a data folder that last ran with real ones',
  '--no-traffic': 'without the simulated customers of the demo',
  '--new-pepper': NEW_PEPPER,
} as const;

export const commands = [
  local('up', 'start the whole cluster on this machine; Ctrl-C drains and stops it', {
    options: OPTIONS,
    run: (options, { entry }) => up(options, entry),
  }),
];

async function up(options: Given<unknown, typeof OPTIONS>, entry: string): Promise<void> {
  const { config: file, data, host, port } = options;
  const config = await loadConfig({ file, data, port, host, cwd: process.cwd(), env: process.env });
  const report = (line: string): void => void process.stderr.write(`troupe: ${line}\n`);
  if (options.demo) requireSimulators(config, file);
  await reportBroken(config, report);
  if (options.newPepper) await voidKeys(config, report);
  const launcher = new Launcher({
    config,
    configFile: file === undefined ? null : resolve(file),
    demo: options.demo === true,
    traffic: options.traffic && config.demo.traffic,
    logLevel: options.logLevel ?? null,
    entry,
    clock: systemClock,
    random: systemRandom,
    report,
    progress: (line) => void process.stdout.write(`${line}\n`),
    demoAccount: demoAccountOf(config),
  });
  const requested = stopOnSignal(launcher);
  const banner = await launcher.start().catch((error: unknown) => {
    // Stopped on request during the start, which is not a failure.
    if (requested.stop) return null;
    throw error;
  });
  if (banner !== null && !requested.stop) process.stdout.write(banner);
}

/** An invalid document does not stop the start, since its provider keeps its last declaration; it is only reported. */
async function reportBroken({ providers }: ClusterConfig, report: (line: string) => void): Promise<void> {
  const files = providers.filter(({ models }) => typeof models === 'string' && !/^https?:/.test(models));
  if (files.length === 0) return;
  const { checkDocument } = await import('../provider/check-document.ts');
  for (const provider of files) {
    await checkDocument(String(provider.models), provider).catch((error: unknown) => {
      const [first, ...further] = linesOf(error);
      report(`${first}; provider ${provider.slug} keeps its last declaration, if it has one`);
      for (const line of further) report(line);
    });
  }
}

/** The client of the operator API is loaded while the nodes start. */
function demoAccountOf({ nodes: configured, demo, data }: ClusterConfig): DemoAccount {
  const loading = import('../frame/operator-api.ts');
  loading.catch(() => {});
  const names = configured.map(({ name }) => name);
  const over = async <T>(listed: readonly ConnectionNode[], token: string, run: (api: OperatorApi) => Promise<T>) => {
    const { OperatorApi: Api } = await loading;
    const api = await Api.open({ data, token, names, nodes: listed.map(fromConnection) });
    try {
      return await run(api);
    } finally {
      await api.close();
    }
  };
  return {
    open: (nodes, token, keys) => over(nodes, token, (api) => openDemoAccount(api, keys, demo.depositUsd)),
    close: (nodes, token, keys) => over(nodes, token, (api) => closeDemoAccount(api, keys)),
  };
}

function requireSimulators({ providers }: ClusterConfig, file: string | undefined): void {
  if (providers.length === 0) return;
  throw new ConfigError(`--demo starts simulated providers, and ${file} declares real ones; leave one of the two out`);
}

function stopOnSignal(launcher: Launcher): { stop: boolean } {
  const requested = { stop: false, force: false };
  // A closed terminal accepts no output; drain the nodes anyway.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const signals = new StopSignals(systemClock);
  const onSignal = (): void => {
    const meaning = signals.received();
    if (meaning === 'first') {
      requested.stop = true;
      process.stderr.write('troupe: draining; Ctrl-C again stops at once\n');
      void launcher.stop().then(() => process.exit(requested.force ? EXIT_FORCED : 0));
    } else if (meaning === 'again') {
      requested.force = true;
      launcher.force();
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return requested;
}

function portFrom(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ConfigError(`--port ${text} is not a port; write a number from 0 to 65535`);
}
