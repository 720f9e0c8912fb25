/**
 * `troupe replay`: reads the steps from the store or from a file, with or without a running cluster, and takes them again
 * with this build, or with another one in a process of its own, which reads them from a file.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ExportedStep, Replayed } from '../../../../actors/runtime/inspect/replay.ts';
import { absentWords } from '../../absent.ts';
import { ConfigError } from '../../config/config-error.ts';
import { storeChoice } from '../../config/store-choice.ts';
import { findAddress } from '../../find-address.ts';
import { replayElsewhere } from '../../replay-elsewhere.ts';
import type { GlobalOptions } from '../frame/command.ts';
import { configOf } from '../frame/find-cluster.ts';
import { timeOf } from '../frame/print.ts';
import { changesTable } from './steps-text.ts';

const OWNER_ONLY = 0o600;

interface Given extends GlobalOptions {
  readonly address: string | undefined;
  readonly build: string | undefined;
  readonly file: string | undefined;
  readonly export: string | undefined;
}

type Exported = { readonly exported: number; readonly file: string };

/** @throws ConfigError */
export async function replayOf(given: Given): Promise<Replayed | Exported> {
  const { address, file, build } = given;
  if ((address === undefined) === (file === undefined)) throw new ConfigError('give an address, or --file');
  if (file !== undefined) return build === undefined ? replayFile(file) : replayElsewhere(build, file);
  const { withSteps, replay, registered } = await import('../../../../actors/runtime/inspect/replay.ts');
  const { kinds } = await import('../../../../actors/kinds.ts');
  const choice = storeChoice(await configOf(given), process.env);
  return withSteps(choice, async (stepsOf, store) => {
    const found = await findAddress(store, address as string);
    if (found === null) throw new ConfigError(absentWords(address as string));
    const steps = stepsOf([found]);
    if (given.export !== undefined) return { exported: await write(steps, given.export), file: given.export };
    if (build === undefined) return replay(registered(kinds), steps);
    const folder = mkdtempSync(join(tmpdir(), 'troupe-replay-'));
    try {
      const path = join(folder, 'steps.jsonl');
      await write(steps, path);
      return await replayElsewhere(build, path);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

async function replayFile(file: string): Promise<Replayed> {
  if (!existsSync(file)) throw new ConfigError(`there is no file ${file}`);
  const { replay, registered } = await import('../../../../actors/runtime/inspect/replay.ts');
  const { kinds } = await import('../../../../actors/kinds.ts');
  return replay(registered(kinds), read(file));
}

async function* read(file: string): AsyncGenerator<ExportedStep> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    line++;
    if (text === '') continue;
    try {
      yield JSON.parse(text) as ExportedStep;
    } catch {
      throw new ConfigError(`line ${line} of ${file} is no JSON`);
    }
  }
}

async function write(steps: AsyncIterable<ExportedStep>, file: string): Promise<number> {
  const out = createWriteStream(file, { mode: OWNER_ONLY, flags: 'wx' });
  let written = 0;
  for await (const step of steps) {
    written++;
    if (!out.write(`${JSON.stringify(step)}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return written;
}

/** The words of a replay. */
export function rendered(replayed: Replayed | Exported): string {
  if ('exported' in replayed) return `${replayed.exported} steps are in ${replayed.file}; it is not redacted`;
  const { first, steps, skipped, actors } = replayed;
  const left = skipped === 0 ? '' : `; ${skipped} were too long to record and are left out`;
  if (first === null) {
    if (steps === 0) return `no step is recorded${left}`;
    return `all ${steps} recorded steps of ${actors} actors give the same states and effects${left}`;
  }
  const { address, version, at, node, event, difference, sameEffects, effects, failure } = first;
  return [
    `step ${version} of ${address} (${event}, ${timeOf(at)}, ${node}) is taken otherwise by this build:`,
    ...(failure === null ? [] : [failure]),
    ...(difference.length === 0 ? [] : [changesTable(difference)]),
    ...(sameEffects === false ? [`its effects differ; now they are ${JSON.stringify(effects)}`] : []),
  ].join('\n');
}
