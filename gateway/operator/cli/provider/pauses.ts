/** `pause` and `resume` of endpoints and of providers. */
import { changePause, PAUSE_REASON_MAX } from '../../../../actors/terms/pause.ts';
import { command } from '../frame/asking.ts';
import type { AddCommand, Given, Meanings } from '../frame/command.ts';
import { COMMAND_LINE, reason } from '../frame/names.ts';
import { timeOf } from '../frame/print.ts';
import { ASK_MS, type Session } from '../frame/session.ts';

/** `named` is the argument that names what is paused. */
export function pauses<const A extends Meanings>(
  named: A,
  addressOf: (given: Given<A, unknown>) => string,
): readonly AddCommand[] {
  return [
    command('pause', 'send no new call there until it is resumed; calls under way end', {
      arguments: named,
      options: { '--reason <text>': reason('why, for the record', PAUSE_REASON_MAX) },
      ask: (given, session) => change(session, addressOf(given), given.reason),
      print: sentence,
    }),
    command('resume', 'send calls there again', {
      arguments: named,
      ask: (given, session) => change(session, addressOf(given), null),
      print: sentence,
    }),
  ];
}

async function change({ cluster }: Session, address: string, why: string | null) {
  return { address, ...(await changePause(cluster, address, why, { by: COMMAND_LINE, withinMs: ASK_MS })) };
}

function sentence({ address, paused, changed }: Awaited<ReturnType<typeof change>>): string {
  const state = paused === null ? 'not paused' : `paused since ${timeOf(paused.since)}: ${paused.reason}`;
  return `${address} is ${state}${changed ? '' : ' (as before)'}`;
}
