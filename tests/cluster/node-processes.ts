/** Starts, steers, kills and restarts node processes on one SQLite file in a folder of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface NodeProcess {
  readonly name: string;
  readonly child: ChildProcess;
  readonly lines: Record<string, unknown>[];
  readonly ready: Promise<void>;
  /** Sends a command and resolves with its answer. */
  send(command: Record<string, unknown>): Promise<Record<string, unknown>>;
  kill(signal?: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
}

/** The answer to a command whose process ended before it answered. */
const ENDED = { error: 'the node ended' };

export class NodeProcesses {
  readonly folder = mkdtempSync(join(tmpdir(), 'troupe-cluster-'));
  readonly running = new Map<string, NodeProcess>();
  readonly #env: Readonly<Record<string, string>>;
  readonly #database: (name: string) => string;
  #lastId = 0;

  /** `env` overrides this process's environment; `database` is the location of each node's store (default: one file). */
  constructor(env: Readonly<Record<string, string>> = {}, database?: (name: string) => string) {
    this.#env = env;
    this.#database = database ?? (() => join(this.folder, 'store.db'));
  }

  start(name: string): NodeProcess {
    const script = join(import.meta.dirname, 'node-process.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', script, name, this.#database(name)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...this.#env },
    });
    const lines: Record<string, unknown>[] = [];
    const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
    let isReady = (): void => {};
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (text) => {
      const line = JSON.parse(text) as Record<string, unknown>;
      lines.push(line);
      if ('ready' in line) isReady();
      waiting.get(line.id as number)?.(line);
      waiting.delete(line.id as number);
    });
    const send = (command: Record<string, unknown>): Promise<Record<string, unknown>> =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve(ENDED);
        this.#lastId += 1;
        waiting.set(this.#lastId, resolve);
        child.stdin?.write(`${JSON.stringify({ id: this.#lastId, ...command })}\n`);
      });
    child.stdin?.on('error', () => {});
    const exited = once(child, 'exit').then(([code]) => {
      for (const answer of waiting.values()) answer(ENDED);
      waiting.clear();
      return code as number | null;
    });
    const kill = (signal: NodeJS.Signals = 'SIGKILL'): void => void child.kill(signal);
    const node: NodeProcess = { name, child, lines, ready, send, kill, exited };
    this.running.set(name, node);
    return node;
  }

  /** Kills the processes that still run and removes the folder. */
  async close(): Promise<void> {
    for (const node of this.running.values()) node.kill();
    await Promise.all([...this.running.values()].map((node) => node.exited));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
