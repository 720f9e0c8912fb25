/**
 * `<data>/last-start.json`: the real providers that the folder last ran with, and the configuration that declared them.
 * A start that forgets `--config` would replace them by simulated ones and charge customers for made-up answers.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterConfig } from '../../terms/config/config.ts';
import { ConfigError } from '../config/config-error.ts';
import { writeWhole } from './private-files.ts';

interface LastStart {
  /** The file of `--config`; null for the default configuration. */
  readonly config: string | null;
  /** Slugs of the real providers; empty for simulated ones. */
  readonly providers: readonly string[];
}

const NAMED_MAX = 3;

/** True if a start with this configuration runs on simulated providers. */
export function usesSimulators({ demo, providers }: Pick<ClusterConfig, 'demo' | 'providers'>): boolean {
  return demo.enabled && demo.simulators > 0 && providers.length === 0;
}

/** Throws ConfigError naming the command to continue with if the folder last ran with real providers. */
export async function refuseSimulators(data: string): Promise<void> {
  const last = await readLastStart(data);
  if (last === null || last.providers.length === 0) return;
  const command = `\`npx troupe up --data ${data} --config ${last.config ?? 'FILE'}\``;
  throw new ConfigError(
    `data folder ${data} last ran with the providers ${named(last.providers)}${last.config === null ? '' : ` of ${last.config}`}, and this start would answer its customers from simulated ones; run ${command}, or add --demo to use simulated providers from now on`,
  );
}

/** Called before the nodes start. A start without any provider changes nothing. */
export async function rememberStart(data: string, config: string | null, started: ClusterConfig): Promise<void> {
  const providers = started.providers.map(({ slug }) => slug);
  if (providers.length === 0 && !usesSimulators(started)) return;
  await writeWhole(fileIn(data), `${JSON.stringify({ config, providers } satisfies LastStart, null, 2)}\n`);
}

export async function readLastStart(data: string): Promise<LastStart | null> {
  const text = await readFile(fileIn(data), 'utf8').catch(absent);
  if (text === null) return null;
  try {
    const { config, providers } = JSON.parse(text) as LastStart;
    return { config, providers: providers.map(String) };
  } catch {
    throw new ConfigError(`${fileIn(data)} is damaged; name the configuration with --config FILE`);
  }
}

/** True for a provider that the launcher's simulators serve; several share a process, each below its name. */
export function isSimulated({ baseUrl, models }: ClusterConfig['providers'][number]): boolean {
  return (
    /^http:\/\/127\.0\.0\.1:\d+(?:\/[\w-]+)?\/v1$/.test(baseUrl) &&
    /\bsimulator\b.*\.models\.json$/.test(String(models))
  );
}

function named(providers: readonly string[]): string {
  const more = providers.length - NAMED_MAX;
  return `${providers.slice(0, NAMED_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function fileIn(data: string): string {
  return join(data, 'last-start.json');
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}
