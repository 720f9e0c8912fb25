/** `troupe accounts invite|sessions|sign-out`: one-time sign-in links, and the sessions of a person's browsers. */
import { SESSIONS_MAX } from '../../../../actors/session/session.ts';
import type { SessionRecord } from '../../../../actors/session/session-record.ts';
import { ConfigError } from '../../config/config-error.ts';
import { readConnection } from '../../launcher/connection.ts';
import { command, route } from '../frame/asking.ts';
import { countFrom, owner, reason } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';

const HOURS = 24;
const HOURS_MAX = 7 * 24;

const ACCOUNT = { '<account>': owner('the account id') } as const;

export const signIn = [
  command('invite', 'make a link with which a person signs in once, without a key', {
    arguments: ACCOUNT,
    options: {
      '--hours <count>': {
        meaning: `how long the link works, at most ${HOURS_MAX} (default: ${HOURS})`,
        parse: hoursFrom,
      },
      '--url <url>': 'the public address of this service, such as https://api.example.com (default: as it runs here)',
      '--reason <text>': reason('why, for the record', 'an invitation'),
    },
    ask: async ({ account, hours = HOURS, url, reason: why }, api) => {
      const origin = await originOf(url, api.found.data);
      const made = await api.post<Invitation>(route`/api/accounts/${account}/invite`, { hours, reason: why });
      return { link: `${origin}${made.path}`, expires_at: timeOf(made.expiresAt) };
    },
    print: ({ link, expires_at: expires }) =>
      `${pairs({ link, expires })}\n\nThe link opens one session. Send it only to the person.`,
  }),
  command('sessions', `list the browsers that are signed in to an account, newest first, at most ${SESSIONS_MAX}`, {
    arguments: ACCOUNT,
    ask: async ({ account }, api) => (await api.get<Sessions>(route`/api/accounts/${account}/sessions`)).data,
    print: renderSessions,
  }),
  command('sign-out', 'end every session of an account', {
    arguments: ACCOUNT,
    options: { '--reason <text>': reason('why, for the record') },
    ask: async ({ account, reason: why }, api) => {
      const answer = await api.post<{ ended: number }>(route`/api/accounts/${account}/sign-out`, { reason: why });
      return { ended: answer.ended };
    },
    print: ({ ended }) => pairs({ ended: `${ended} sessions` }),
  }),
];

interface Invitation {
  readonly path: string;
  readonly expiresAt: number;
}

interface Sessions {
  readonly data: readonly SessionRecord[];
}

function hoursFrom(text: string): number {
  const hours = countFrom(text, 'number of hours');
  if (hours > HOURS_MAX) throw new ConfigError(`--hours ${hours} is too long; write at most ${HOURS_MAX}`);
  return hours;
}

/** @throws ConfigError */
async function originOf(url: string | undefined, data: string): Promise<string> {
  const address = url ?? (await readConnection(data))?.base_url ?? null;
  if (address === null)
    throw new ConfigError('no node of this host serves the public API; give its address with --url URL');
  if (!URL.canParse(address))
    throw new ConfigError(`"${address}" is not an address; write it as https://api.example.com`);
  return new URL(address).origin;
}

function renderSessions(open: readonly SessionRecord[]): string {
  const rows = open.map(({ session, by, agent, createdAt, expiresAt }) => [
    session.slice(session.indexOf('/') + 1),
    `${by.kind} ${by.id}`,
    by.address ?? null,
    timeOf(createdAt),
    timeOf(expiresAt),
    agent,
  ]);
  return table(['SESSION', 'OPENED BY', 'FROM', 'OPENED', 'ENDS', 'BROWSER'], rows);
}
