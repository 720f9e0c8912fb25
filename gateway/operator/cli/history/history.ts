/** `troupe history|record|replay`: the recorded steps of an actor, and the same steps taken again. */
import { ConfigError } from '../../config/config-error.ts';
import { command, route } from '../frame/asking.ts';
import { local } from '../frame/command.ts';
import { count, NAMED, reason } from '../frame/names.ts';
import type { Changed } from '../frame/operator-api.ts';
import { rendered, replayOf } from './replay.ts';
import { type OneStep, type StepRow, stepTable, stepText } from './steps-text.ts';

const SHOWN_USUALLY = 200;

export const commands = [
  command('history', 'show the recorded steps of an actor, or one of them', {
    arguments: { '<address>': NAMED },
    options: {
      '--step <version>': count('show the event, the rows and the changes of this step', '--step'),
      '--limit <count>': count('newest steps to show (default: 200)', '--limit'),
    },
    ask: async ({ address, step, limit = SHOWN_USUALLY }, api) => {
      const path = route`/api/actors/${address}/steps`;
      if (step !== undefined) return { step: await api.get<OneStep>(`${path}/${step}`) };
      return { steps: [...(await api.list<StepRow>(path, {}, limit))].reverse() };
    },
    json: ({ step, steps }) => step ?? steps,
    print: ({ step, steps }) => (step === undefined ? stepTable(steps ?? []) : stepText(step)),
  }),
  command('record', 'record every step of an actor for some minutes, at most a day; 0 ends it', {
    arguments: { '<address>': NAMED },
    options: {
      '--minutes <count>': { meaning: 'how long', parse: minutesFrom, required: true },
      '--reason <text>': reason('why, for the audit log', 'to see its steps'),
    },
    ask: ({ address, minutes, reason: why }, api) => {
      const path = route`/api/actors/${address}/record`;
      return api.post<Changed & { readonly address: string }>(path, { minutes, reason: why });
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
