/** Kills real nodes under load and measures from the signal to the first committed step on a victim's actor. */
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { LaunchedNodes } from '../support/cluster/launched-nodes.ts';
import { paced } from '../support/pace.ts';

const NAMES = ['n1', 'n2', 'n3'] as const;
const ADDRESSES = Array.from({ length: 300 }, (_, i) => `tally:k${i}`);
const ADD = { type: 'tally.add', by: 1 };
const ASK_MS = 10_000;

interface Takeovers {
  /** One per kill, ms. */
  readonly tookMs: readonly number[];
  /** Why each victim was marked dead. */
  readonly reasons: readonly string[];
  /** Answers of the background load besides success, by their text. */
  readonly failures: Readonly<Record<string, number>>;
  readonly answered: number;
}

/** Waits until a node owns its share of the addresses. */
async function share(nodes: LaunchedNodes, name: string): Promise<readonly string[]> {
  for (;;) {
    const owned = await nodes.owned(name, ADDRESSES);
    if (owned.length > ADDRESSES.length / 6) return owned;
    await pause(20);
  }
}

async function firstStep(nodes: LaunchedNodes, name: string, address: string): Promise<void> {
  for (;;) {
    const answer = await nodes.ask(name, address, ADD, paced(ASK_MS));
    if ('body' in answer) return;
    assert.match(answer.error, /lost|expired/);
  }
}

/** Asks through these nodes back to back, `lanes` at a time each, until `stop` is called. */
function load(nodes: LaunchedNodes, names: readonly string[], lanes: number) {
  let running = true;
  let answered = 0;
  const failures: string[] = [];
  const lane = async (name: string, from: number): Promise<void> => {
    for (let next = from; running; next += lanes) {
      const answer = await nodes.ask(name, ADDRESSES[next % ADDRESSES.length] as string, ADD, paced(ASK_MS));
      if ('body' in answer) answered += 1;
      else failures.push(answer.error.replace(/tally:\S+/, ''));
    }
  };
  const all = names.flatMap((name) => Array.from({ length: lanes }, (_, at) => lane(name, at)));
  return {
    answered: () => answered,
    async stop(): Promise<readonly string[]> {
      running = false;
      await Promise.all(all);
      return failures;
    },
  };
}

/** `signal` SIGKILL ends the victim, SIGSTOP freezes it (it is killed after its takeover). */
export async function takeovers(kills: number, signal: 'SIGKILL' | 'SIGSTOP', lanes = 16): Promise<Takeovers> {
  const nodes = await LaunchedNodes.start({ names: NAMES });
  const tookMs: number[] = [];
  const reasons: string[] = [];
  const failures: Record<string, number> = {};
  let answered = 0;
  try {
    for (let kill = 0; kill < kills; kill++) {
      const victim = NAMES[kill % NAMES.length] as string;
      const survivors = NAMES.filter((name) => name !== victim);
      const owned = await share(nodes, victim);
      const loaded = load(nodes, survivors, lanes);
      while (loaded.answered() < lanes * 10) await pause(10);
      const verdicts = nodes.verdicts().length;
      const began = performance.now();
      nodes.signal(victim, signal);
      // A reply of the victim sent just before its death is not a takeover.
      if (signal === 'SIGKILL') await nodes.ended(victim);
      await firstStep(nodes, survivors[kill % 2] as string, owned[kill % owned.length] as string);
      tookMs.push(performance.now() - began);
      for (const text of await loaded.stop()) failures[text] = (failures[text] ?? 0) + 1;
      answered += loaded.answered();
      reasons.push(...nodes.verdicts().slice(verdicts));
      if (signal === 'SIGSTOP') nodes.signal(victim, 'SIGKILL');
      await nodes.restarted(victim);
    }
  } finally {
    await nodes.close();
  }
  return { tookMs, reasons, failures, answered };
}

export function summary(values: readonly number[]): { min: number; median: number; p99: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { min: at(0), median: at(0.5), p99: at(0.99) };
}
