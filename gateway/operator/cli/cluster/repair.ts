/**
 * `troupe retry|skip|reload`: retries or drops a dead letter, an input that failed too often, and loads a quarantined
 * actor again. `ps` and `inspect` show them.
 */
import { command, route } from '../frame/asking.ts';
import { NAMED, reason } from '../frame/names.ts';
import type { Changed } from '../frame/operator-api.ts';

const WHY = { '--reason <text>': reason('why, for the record') } as const;

const deadLetter = (verb: 'retry' | 'skip', description: string) =>
  command(verb, description, {
    arguments: {
      '<address>': NAMED,
      '<id>': 'the id of the dead letter, as `troupe ps` and `troupe inspect` show it',
    },
    options: WHY,
    ask: ({ address, id, reason: why }, api) =>
      api.post<Changed>(route`/api/actors/${address}/dead-letters/${id}/` + verb, { reason: why }),
    json: (_, { address, id }) => ({ address, id, [verb]: true }),
    print: ({ did }) => did,
  });

export const commands = [
  deadLetter('retry', 'deliver a dead letter to its actor again'),
  deadLetter('skip', 'drop a dead letter for good'),
  command('reload', 'reload a quarantined actor after its stored state was repaired', {
    arguments: { '<address>': NAMED },
    options: WHY,
    ask: ({ address, reason: why }, api) =>
      api.post<Changed & { readonly address: string }>(route`/api/actors/${address}/reload`, { reason: why }),
    print: ({ did }) => did,
  }),
];
