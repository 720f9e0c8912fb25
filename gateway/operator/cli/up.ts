/**
 * `troupe up`: starts a cluster and stays until it is told to stop. Ctrl-C reaches the whole foreground group and, under
 * npm, this process twice: further signals within a second belong to the first. A later one ends everything at once.
 */
import type { Command } from 'commander';
import { systemClock, systemRandom } from '../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../terms/config.ts';
import { ConfigError, lineOf } from '../config/config-error.ts';
import { loadConfig } from '../config/load.ts';
import { Launcher, type LauncherOptions } from '../launcher/launcher.ts';
import type { GlobalOptions } from './global-options.ts';

const SAME_SIGNAL_MS = 1_000;
/** A first start on a slow machine may still be settling its shards. */
const DEMO_MS = 20_000;
const EXIT_FORCED = 130;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function addUp(program: Command, entry: string): void {
  program
    .command('up')
    .option('--port <port>', 'the port of the public API (0 takes a free one)')
    .description('start the whole cluster on this machine; Ctrl-C drains and stops it')
    .action(async (_: unknown, command: Command) => {
      await up(command.optsWithGlobals<GlobalOptions & { port?: string }>(), entry);
    });
}

async function up(options: GlobalOptions & { port?: string }, entry: string): Promise<void> {
  const { config: file, data } = options;
  const port = options.port === undefined ? undefined : portFrom(options.port);
  const config = await loadConfig({ file, data, port, cwd: process.cwd(), env: process.env });
  const tell = (line: string): void => void process.stderr.write(`troupe: ${line}\n`);
  await tellBroken(config, tell);
  const launcher = new Launcher({
    config,
    entry,
    clock: systemClock,
    random: systemRandom,
    tell,
    openDemo: openDemoOver(config),
  });
  const asked = stopOnSignal(launcher);
  const banner = await launcher.start().catch((error: unknown) => {
    // Stopped on purpose before it was up: that is no failure.
    if (asked.stop) return null;
    throw error;
  });
  if (banner !== null && !asked.stop) process.stdout.write(banner);
}

/** A broken document stops nobody: what it declared before stays. Whoever starts the cluster is told all the same. */
async function tellBroken({ providers }: ClusterConfig, tell: (line: string) => void): Promise<void> {
  const files = providers.filter(({ models }) => typeof models === 'string' && !/^https?:/.test(models));
  if (files.length === 0) return;
  const { checkDocument } = await import('./check-document.ts');
  for (const provider of files) {
    await checkDocument(String(provider.models), provider).catch((error: unknown) => {
      tell(`${lineOf(error)}; provider ${provider.slug} keeps what it declared before, if it did`);
    });
  }
}

/** The operator client and the kinds are loaded while the nodes start. */
function openDemoOver({ nodes, demo }: ClusterConfig): LauncherOptions['openDemo'] {
  const loading = Promise.all([import('../launcher/demo-account.ts'), import('./session.ts')]);
  loading.catch(() => {});
  return async (node, secrets, keys) => {
    const [{ openDemoAccount }, { connect }] = await loading;
    const { cluster, close } = await connect(node, secrets.operatorToken, nodes);
    try {
      const { depositUsd } = demo;
      await openDemoAccount({ cluster, keys, pepper: secrets.pepper, depositUsd, withinMs: DEMO_MS });
    } finally {
      close();
    }
  };
}

function stopOnSignal(launcher: Launcher): { stop: boolean } {
  const asked = { stop: false, force: false };
  // A terminal that was closed takes no last words; the nodes are to be drained all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  let firstAt = 0;
  const onSignal = (): void => {
    const now = systemClock.monotonic();
    if (!asked.stop) {
      asked.stop = true;
      firstAt = now;
      process.stderr.write('troupe: draining; Ctrl-C again stops at once\n');
      void launcher.stop().then(() => process.exit(asked.force ? EXIT_FORCED : 0));
    } else if (now - firstAt > SAME_SIGNAL_MS) {
      asked.force = true;
      launcher.force();
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return asked;
}

function portFrom(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ConfigError(`--port ${text} is no port; write a number from 0 to 65535`);
}
