import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limit, paced } from '../pace.ts';

/** The content of `connection.json`, written by the launcher of a running cluster. */
export interface Connection {
  readonly base_url: string;
  /** Keys of the demo account; null beside configured providers. */
  readonly api_key: string | null;
  readonly management_key: string | null;
  readonly customers_management_key: string | null;
  readonly operator_url: string;
  readonly operator_token: string;
  readonly nodes: readonly {
    readonly name: string;
    readonly pid: number;
    readonly grpc: string;
    readonly operator_url: string;
  }[];
}

/** What a test starts the launcher with, beside the configuration. */
interface LaunchOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of an earlier cluster. */
  readonly kept?: string;
  /** Starts a command whose nodes run the test kinds too; default: the command as users start it. */
  readonly testKinds?: boolean;
}

const READY_MS = 120_000;
const STOP_MS = 45_000;
const ANSWER_MS = 2_000;
const POLL_MS = 50;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COMMAND = join(ROOT, 'bin', 'troupe.mjs');
const COMMAND_WITH_TEST_KINDS = fileURLToPath(new URL('./troupe-with-test-kinds.mjs', import.meta.url));

/**
 * A real cluster: the launcher and its node processes, in its own data folder, with a configuration merged into the default
 * one. Never touches a folder that it did not create, and leaves no process behind.
 */
export class LaunchedCluster {
  readonly data: string;
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(data: string, port: number, child: ChildProcess) {
    this.data = data;
    this.port = port;
    this.#child = child;
  }

  /** Resolves once the API answers and all declared nodes serve. */
  static async start(config: object, { env, kept, testKinds }: LaunchOptions = {}): Promise<LaunchedCluster> {
    const data = kept ?? mkdtempSync(join(tmpdir(), 'troupe-'));
    const port = await freePort();
    const file = join(data, 'overlay.json');
    // Checks are calls without a client, so tests that compare both sides or measure run without them by default.
    writeFileSync(file, JSON.stringify({ checks: { enabled: false }, ...config }));
    const output = openSync(join(data, 'output.log'), 'a');
    const command = testKinds ? COMMAND_WITH_TEST_KINDS : COMMAND;
    const child = spawn(
      process.execPath,
      [command, 'up', '--no-traffic', '--data', data, '--port', String(port), '--config', file],
      {
        cwd: ROOT,
        stdio: ['ignore', output, output],
        env: { ...process.env, ...env },
      },
    );
    const cluster = new LaunchedCluster(data, port, child);
    const nodes = (config as { nodes?: readonly unknown[] }).nodes?.length ?? 3;
    try {
      await cluster.#ready(nodes);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/api/v1`;
  }

  /** The launcher. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The output of the launcher and the nodes so far. */
  get output(): string {
    return readFileSync(join(this.data, 'output.log'), 'utf8');
  }

  /** The latest version written by the launcher; null before the first one. */
  connection(): Connection | null {
    try {
      return JSON.parse(readFileSync(join(this.data, 'connection.json'), 'utf8')) as Connection;
    } catch {
      return null;
    }
  }

  /** Drains with SIGINT, as Ctrl-C does, kills remaining processes, and removes the folder unless `keep`. */
  async stop(keep = false): Promise<number | null> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      const late = setTimeout(() => child.kill('SIGKILL'), paced(STOP_MS));
      await exited;
      clearTimeout(late);
    }
    if (!keep) rmSync(this.data, { recursive: true, force: true });
    return child.exitCode;
  }

  async #ready(nodes: number): Promise<void> {
    const leftMs = limit(READY_MS);
    while (leftMs() > 0) {
      if (this.#child.exitCode !== null) throw new Error(`the launcher ended: ${this.output.slice(-2_000)}`);
      if ((this.connection()?.nodes.length ?? 0) >= nodes && (await answers(`${this.baseUrl}/models`))) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`the cluster was not ready within ${READY_MS} ms at pace 1: ${this.output.slice(-2_000)}`);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(paced(ANSWER_MS)) });
    await response.arrayBuffer();
    return response.status < 500;
  } catch {
    return false;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
