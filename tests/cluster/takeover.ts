/** Kills real node processes under load and measures from the signal to the first committed step on a victim's actor. */
import * as assert from 'uvu/assert';
import { type NodeProcess, NodeProcesses } from './node-processes.ts';

const ADDRESSES = Array.from({ length: 300 }, (_, i) => `tally:k${i}`);

export interface Takeovers {
  /** One per kill, ms. */
  readonly tookMs: readonly number[];
  /** Answers of the background load besides success, by their text. */
  readonly failures: Readonly<Record<string, number>>;
  readonly answered: number;
}

async function ownedBy(node: NodeProcess): Promise<readonly string[]> {
  return (await node.send({ do: 'owned', of: ADDRESSES })).owned as string[];
}

/** Waits until a node owns its share of the addresses. */
async function share(node: NodeProcess): Promise<readonly string[]> {
  for (;;) {
    const owned = await ownedBy(node);
    if (owned.length > ADDRESSES.length / 6) return owned;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function firstStep(node: NodeProcess, address: string): Promise<void> {
  const event = { type: 'tally.add', by: 1 };
  for (;;) {
    const answer = await node.send({ do: 'ask', to: address, event, withinMs: 10_000 });
    if ('body' in answer) return;
    assert.match(String(answer.error), /lost|expired/);
  }
}

/** `signal` SIGKILL ends the victim, SIGSTOP freezes it (it is killed after its takeover). */
export async function takeovers(kills: number, signal: 'SIGKILL' | 'SIGSTOP', lanes = 16): Promise<Takeovers> {
  const processes = new NodeProcesses();
  const tookMs: number[] = [];
  const failures: Record<string, number> = {};
  let answered = 0;
  try {
    const nodes = new Map(['n1', 'n2', 'n3'].map((name) => [name, processes.start(name)]));
    await Promise.all([...nodes.values()].map((node) => node.ready));
    for (let kill = 0; kill < kills; kill++) {
      const victim = nodes.get(`n${(kill % 3) + 1}`) as NodeProcess;
      const survivors = [...nodes.values()].filter((node) => node !== victim);
      const owned = await share(victim);
      const load = survivors.map((node) =>
        node.send({ do: 'load', lanes, ms: 1_500, type: 'tally.add', addresses: ADDRESSES }),
      );
      await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 300));
      const began = performance.now();
      victim.kill(signal);
      // A reply of the victim sent just before its death is not a takeover.
      if (signal === 'SIGKILL') await victim.exited;
      await firstStep(survivors[kill % 2] as NodeProcess, owned[kill % owned.length] as string);
      tookMs.push(performance.now() - began);
      for (const outcome of await Promise.all(load)) {
        answered += (outcome as { answered: number }).answered;
        for (const [text, count] of Object.entries(outcome.failures as Record<string, number>)) {
          failures[text] = (failures[text] ?? 0) + count;
        }
      }
      victim.kill('SIGKILL');
      await victim.exited;
      const next = processes.start(victim.name);
      nodes.set(victim.name, next);
      await next.ready;
    }
  } finally {
    await processes.close();
  }
  return { tookMs, failures, answered };
}

export function summary(values: readonly number[]): { min: number; median: number; p99: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { min: at(0), median: at(0.5), p99: at(0.99) };
}
