/** `pause` and `resume` of endpoints and of providers. */
import type { Pause } from '../../../../actors/terms/pause.ts';
import { command } from '../frame/asking.ts';
import type { AddCommand, Given, Meanings } from '../frame/command.ts';
import { reason } from '../frame/names.ts';
import { timeOf } from '../frame/print.ts';

/** `named` is the argument that names what is paused, `pathOf` its route. */
export function pauses<const A extends Meanings>(
  named: A,
  pathOf: (given: Given<A, unknown>) => string,
): readonly AddCommand[] {
  const change = (verb: 'pause' | 'resume', description: string): AddCommand =>
    command(verb, description, {
      arguments: named,
      options: { '--reason <text>': reason('why, for the record') },
      ask: (given, api) => api.post<Paused>(`${pathOf(given)}/${verb}`, { reason: given.reason }),
      print: sentence,
    });
  return [
    change('pause', 'send no new call there until it is resumed; calls under way end'),
    change('resume', 'send calls there again'),
  ];
}

interface Paused {
  readonly address: string;
  readonly paused: Pause | null;
  readonly changed: boolean;
}

function sentence({ address, paused, changed }: Paused): string {
  const state = paused === null ? 'not paused' : `paused since ${timeOf(paused.since)}: ${paused.reason}`;
  return `${address} is ${state}${changed ? '' : ' (as before)'}`;
}
