/** `troupe accounts invite|sessions|sign-out`: one-time sign-in links, and the sessions of a person's browsers. */
import { showAccount } from '../../../../actors/account/account.ts';
import { systemRandom } from '../../../../actors/runtime/index.ts';
import { createInvitation } from '../../../../actors/session/invitation.ts';
import { SESSIONS_MAX } from '../../../../actors/session/session.ts';
import type { SessionRecord } from '../../../../actors/session/session-record.ts';
import { invitationAddress, oneTimeSecret, secretDigest } from '../../../../actors/terms/one-time.ts';
import { endSessions, openSessions } from '../../../management/sessions.ts';
import { ConfigError } from '../../config/config-error.ts';
import { readPepper } from '../../config/secrets.ts';
import { readConnection } from '../../launcher/connection.ts';
import { command } from '../frame/asking.ts';
import { COMMAND_LINE, countFrom, owner } from '../frame/names.ts';
import { pairs, table, timeOf } from '../frame/print.ts';
import { ASK_MS, requireAccount } from '../frame/session.ts';

const HOUR_MS = 3_600_000;
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
    },
    ask: async ({ account: { account, address }, hours = HOURS, url }, { cluster, found: { data } }) => {
      const origin = await originOf(url, data);
      const secret = oneTimeSecret(systemRandom);
      const digest = secretDigest(await readPepper(data), 'invitation', secret);
      await showAccount(cluster, address, ASK_MS);
      const made = { digest, lifetimeMs: hours * HOUR_MS, by: COMMAND_LINE };
      const { expiresAt } = await createInvitation(cluster, invitationAddress(account, systemRandom), made, ASK_MS);
      return { link: `${origin}/sign-in?invite=${secret}`, expires_at: timeOf(expiresAt) };
    },
    print: ({ link, expires_at: expires }) =>
      `${pairs({ link, expires })}\n\nThe link opens one session. Send it only to the person.`,
  }),
  command('sessions', `list the browsers that are signed in to an account, newest first, at most ${SESSIONS_MAX}`, {
    arguments: ACCOUNT,
    ask: async ({ account }, session) => {
      const open = await openSessions(session.services, account);
      // An account without sessions exists; an unknown one is an error.
      if (open.length === 0) await requireAccount(session, account.address);
      return open;
    },
    print: renderSessions,
  }),
  command('sign-out', 'end every session of an account', {
    arguments: ACCOUNT,
    ask: async ({ account }, session) => {
      await requireAccount(session, account.address);
      return { ended: await endSessions(session.services, account) };
    },
    print: ({ ended }) => pairs({ ended: `${ended} sessions` }),
  }),
];

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
