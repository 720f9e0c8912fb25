/** `troupe accounts invite|sessions|sign-out`: one-time sign-in links, and the sessions of a person's browsers. */
import type { Command } from 'commander';
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
import { COMMAND_LINE } from '../frame/command-line.ts';
import { findCluster } from '../frame/find-cluster.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom, countFrom, tenantFrom } from '../frame/names.ts';
import { pairs, print, table, timeOf } from '../frame/print.ts';
import { ASK_MS, requireAccount, withManagement, withSession } from '../frame/session.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const HOURS_MAX = 7 * 24;

interface InviteOptions extends GlobalOptions {
  readonly hours?: string;
  readonly url?: string;
}

export function addSignIn(accounts: Command): void {
  accounts
    .command('invite')
    .argument('<account>', 'the account id')
    .option('--hours <count>', `how long the link works, at most ${HOURS_MAX} (default: ${HOURS})`)
    .option(
      '--url <url>',
      'the public address of this service, such as https://api.example.com (default: as it runs here)',
    )
    .description('make a link with which a person signs in once, without a key')
    .action(async (account: string, _: unknown, command: Command) =>
      invite(account, command.optsWithGlobals<InviteOptions>()),
    );
  accounts
    .command('sessions')
    .argument('<account>', 'the account id')
    .description(`list the browsers that are signed in to an account, newest first, at most ${SESSIONS_MAX}`)
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const open = await sessionsOf(account, options);
      print(options, open, () => renderSessions(open));
    });
  accounts
    .command('sign-out')
    .argument('<account>', 'the account id')
    .description('end every session of an account')
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const ended = await withManagement(options, async (services, session) => {
        await requireAccount(session, accountFrom(account));
        return endSessions(services, tenantFrom(account));
      });
      print(options, { ended }, () => pairs({ ended: `${ended} sessions` }));
    });
}

async function invite(account: string, options: InviteOptions): Promise<void> {
  const address = accountFrom(account);
  const hours = options.hours === undefined ? HOURS : countFrom(options.hours, 'number of hours');
  if (hours > HOURS_MAX) throw new ConfigError(`--hours ${hours} is too long; write at most ${HOURS_MAX}`);
  const { data } = await findCluster(options);
  const origin = await originOf(options.url, data);
  const secret = oneTimeSecret(systemRandom);
  const digest = secretDigest(await readPepper(data), 'invitation', secret);
  const { expiresAt } = await withSession(options, async ({ cluster }) => {
    await showAccount(cluster, address, ASK_MS);
    const invitation = invitationAddress(address.slice('account:'.length), systemRandom);
    return createInvitation(cluster, invitation, { digest, lifetimeMs: hours * HOUR_MS, by: COMMAND_LINE }, ASK_MS);
  });
  const link = `${origin}/sign-in?invite=${secret}`;
  print(options, { link, expires_at: new Date(expiresAt).toISOString() }, () =>
    [pairs({ link, expires: timeOf(expiresAt) }), '', 'The link opens one session. Send it only to the person.'].join(
      '\n',
    ),
  );
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

async function sessionsOf(account: string, options: GlobalOptions): Promise<readonly SessionRecord[]> {
  return withManagement(options, async (services, session) => {
    const open = await openSessions(services, tenantFrom(account));
    // An account without sessions exists; an unknown one is an error.
    if (open.length === 0) await requireAccount(session, accountFrom(account));
    return open;
  });
}

function renderSessions(open: readonly SessionRecord[]): string {
  const rows = open.map(({ session, by, agent, createdAt, expiresAt }) => [
    ...[session.slice(session.indexOf('/') + 1), `${by.kind} ${by.id}`, by.address ?? ''],
    ...[timeOf(createdAt) ?? '', timeOf(expiresAt) ?? '', agent],
  ]);
  return table(['SESSION', 'OPENED BY', 'FROM', 'OPENED', 'ENDS', 'BROWSER'], rows);
}
