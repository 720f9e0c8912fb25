/** `troupe history|record|replay`: the recorded steps of an actor, and the same steps taken again. */
import { ConfigError } from '../../config/config-error.ts';
import { type GlobalOptions, local } from '../frame/command.ts';
import { findCluster } from '../frame/find-cluster.ts';
import { count, NAMED } from '../frame/names.ts';
import type { OperatorCall } from '../frame/operator-port.ts';
import { rendered, replayOf } from './replay.ts';
import { type OneStep, type StepRow, stepTable, stepText } from './steps-text.ts';

const PAGE = 200;

export const commands = [
  local('history', 'show the recorded steps of an actor, or one of them', {
    arguments: { '<address>': NAMED },
    options: {
      '--step <version>': count('show the event, the rows and the changes of this step', '--step'),
      '--limit <count>': count('newest steps to show (default: 200)', '--limit'),
    },
    run: async ({ address, step, limit = PAGE, ...options }) => {
      const ask = await asking(options);
      const path = pathOf(address, 'steps');
      if (step !== undefined) return { step: await ask<OneStep>({ method: 'GET', path: `${path}/${step}` }) };
      return { steps: await newest(ask, path, limit) };
    },
    json: ({ step, steps }) => step ?? steps,
    print: ({ step, steps }) => (step === undefined ? stepTable(steps ?? []) : stepText(step)),
  }),
  local('record', 'record every step of an actor for some minutes, at most a day; 0 ends it', {
    arguments: { '<address>': NAMED },
    options: {
      '--minutes <count>': { meaning: 'how long', parse: minutesFrom, required: true },
      '--reason <text>': { meaning: 'why, for the audit log', default: 'to see its steps' },
    },
    run: async ({ address, minutes, reason, ...options }) => {
      const body = JSON.stringify({ minutes, reason });
      const ask = await asking(options);
      return ask<{ readonly did: string; readonly address: string }>({
        method: 'POST',
        path: pathOf(address, 'record'),
        body,
      });
    },
    print: ({ did, address }) => `${did}; see them with \`troupe history ${address}\``,
  }),
  local('replay', 'take the recorded steps of an actor again; exit code 1 if this build takes one otherwise', {
    arguments: { '[address]': NAMED },
    options: {
      '--build <folder>': 'the folder of another build of Troupe, which takes them instead',
      '--file <file>': 'steps that another build wrote with --export, one JSON per line',
      '--export <file>': 'write the steps to a file instead, unredacted and readable by its owner alone',
    },
    run: async (given) => {
      const replayed = await replayOf(given);
      if ('first' in replayed && replayed.first !== null) process.exitCode = 1;
      return replayed;
    },
    print: rendered,
  }),
];

function minutesFrom(text: string): number {
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes >= 0 && minutes <= 24 * 60) return minutes;
  throw new ConfigError('--minutes must be a whole number from 0 to 1440');
}

type Ask = <T>(call: OperatorCall) => Promise<T>;

/** Asks the operator API; the HTTP client is loaded late. */
async function asking(options: GlobalOptions): Promise<Ask> {
  const [found, { callOperator }] = await Promise.all([findCluster(options), import('../frame/operator-port.ts')]);
  return (call) => callOperator(found, call);
}

function pathOf(address: string, part: 'steps' | 'record'): string {
  return `/api/actors/${encodeURIComponent(address)}/${part}`;
}

async function newest(ask: Ask, path: string, limit: number): Promise<readonly StepRow[]> {
  const steps: StepRow[] = [];
  for (let cursor: string | null = ''; cursor !== null && steps.length < limit; ) {
    const page: string = `${path}?limit=${Math.min(PAGE, limit - steps.length)}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const answer = await ask<{ readonly data: readonly StepRow[]; readonly next: string | null }>({
      method: 'GET',
      path: page,
    });
    steps.push(...answer.data);
    cursor = answer.next;
  }
  return steps.reverse();
}
