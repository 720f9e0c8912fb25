/**
 * The API keys of the providers: from variables, once; from files, which are looked at every second and read anew when
 * they change; and from commands, which are run again before their token ends. A file or a command that fails later
 * keeps the last key and is logged; no content is logged.
 */
import { stat } from 'node:fs/promises';
import type { Cancel, Clock } from '../../../actors/runtime/index.ts';
import type { ClusterConfig } from '../../terms/config/config.ts';
import type { ProviderKeys } from '../../terms/provider-declaration.ts';
import { lineOf } from './config-error.ts';
import { type KeyCommand, runKeyCommand } from './key-command.ts';
import { type KeyStamp, readKeyFile, stampOf } from './key-file.ts';

const KEY_LOOK_MS = 1_000;
/** A command that failed is run again after this time. */
const FAILED_COMMAND_MS = 10_000;
/** Former keys of one provider that answers may still quote. */
const FORMER_MAX = 4;

interface KeyLog {
  info(record: object, message: string): void;
  error(record: object, message: string): void;
}

interface KeyFileParts {
  readonly clock: Clock;
  readonly log: KeyLog;
}

interface WatchedFile {
  readonly slug: string;
  readonly path: string;
  stamp: KeyStamp;
}

interface TimedCommand extends KeyCommand {
  readonly slug: string;
  againAt: number;
}

export class LiveProviderKeys implements ProviderKeys {
  readonly #keys = new Map<string, string>();
  readonly #former = new Map<string, readonly string[]>();
  readonly #files: WatchedFile[] = [];
  readonly #commands: TimedCommand[] = [];
  readonly #parts: KeyFileParts;
  #timer: Cancel | null = null;
  #stopped = false;

  private constructor(parts: KeyFileParts) {
    this.#parts = parts;
  }

  /** @throws ConfigError if a file cannot be used now */
  static async open(
    { providers }: Pick<ClusterConfig, 'providers'>,
    env: Readonly<Record<string, string | undefined>>,
    parts: KeyFileParts,
  ): Promise<LiveProviderKeys> {
    const keys = new LiveProviderKeys(parts);
    for (const [at, { slug, apiKeyEnv, keyFile, keyCommand }] of providers.entries()) {
      if (keyFile !== undefined) {
        const { key, stamp } = await readKeyFile(keyFile, `providers[${at}].keyFile`);
        keys.#keys.set(slug, key);
        keys.#files.push({ slug, path: keyFile, stamp });
        continue;
      }
      if (keyCommand !== undefined) {
        const command = { command: keyCommand, env, member: `providers[${at}].keyCommand` };
        const { key, againAt } = await runKeyCommand(command, parts.clock.now());
        keys.#keys.set(slug, key);
        keys.#commands.push({ ...command, slug, againAt });
        continue;
      }
      const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
      if (key !== undefined && key !== '') keys.#keys.set(slug, key);
    }
    return keys;
  }

  get(slug: string): string | undefined {
    return this.#keys.get(slug);
  }

  *values(): MapIterator<string> {
    yield* this.#keys.values();
    for (const former of this.#former.values()) yield* former;
  }

  start(): void {
    if (this.#files.length + this.#commands.length === 0 || this.#stopped) return;
    this.#timer = this.#parts.clock.after(KEY_LOOK_MS, () => void this.look().then(() => this.start()));
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  /** Reads the files that changed, and runs the commands whose token is about to end. Never rejects. */
  async look(): Promise<void> {
    for (const file of this.#files) await this.#lookAt(file);
    const now = this.#parts.clock.now();
    await Promise.all(this.#commands.filter(({ againAt }) => againAt <= now).map((command) => this.#run(command, now)));
  }

  async #run(command: TimedCommand, now: number): Promise<void> {
    const { slug } = command;
    try {
      const { key, againAt } = await runKeyCommand(command, now);
      command.againAt = againAt;
      this.#replace(slug, key);
    } catch (error) {
      command.againAt = now + FAILED_COMMAND_MS;
      this.#parts.log.error(
        { provider: slug, why: lineOf(error) },
        'the key command of a provider failed; its last key stays',
      );
    }
  }

  async #lookAt(file: WatchedFile): Promise<void> {
    const { slug, path } = file;
    const stamp = await stat(path, { bigint: true }).then(stampOf, (error: NodeJS.ErrnoException) =>
      String(error.code),
    );
    if (stamp === file.stamp) return;
    const { log } = this.#parts;
    try {
      const read = await readKeyFile(path, 'keyFile');
      file.stamp = read.stamp;
      this.#replace(slug, read.key);
      log.info({ provider: slug }, 'the key of a provider was read anew');
    } catch (error) {
      file.stamp = stamp;
      log.error(
        { provider: slug, why: lineOf(error) },
        'the key file of a provider cannot be used; its last key stays',
      );
    }
  }

  #replace(slug: string, key: string): void {
    const before = this.#keys.get(slug);
    this.#keys.set(slug, key);
    if (before === undefined || before === key) return;
    this.#former.set(slug, [before, ...(this.#former.get(slug) ?? [])].slice(0, FORMER_MAX));
  }
}
