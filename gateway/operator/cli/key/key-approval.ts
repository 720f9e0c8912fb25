/** `troupe keys approve`: approves a key for an application, as `/auth/keys/code` does. */
import type { Command } from 'commander';
import { approveKey } from '../../../management/approvals.ts';
import type { GlobalOptions } from '../frame/global-options.ts';
import { accountFrom, tenantFrom } from '../frame/names.ts';
import { pairs, print, timeOf } from '../frame/print.ts';
import { requireAccount, withDefaults } from '../frame/session.ts';

export function addKeyApproval(keys: Command): void {
  keys
    .command('approve')
    .argument('<account>', 'the account that pays')
    .argument('<callback>', 'the address of the application: https, or http on localhost')
    .argument('<challenge>', "the S256 challenge of the application's verifier, 43 characters")
    .option('--limit <usd>', 'the most that the key may spend')
    .description('approve a key for an application: prints the one-time code that it trades for the key')
    .action(async (account: string, callback: string, challenge: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { readonly limit?: string }>();
      const input = { callback_url: callback, code_challenge: challenge, limit: options.limit ?? null };
      const { code, origin, limit, expiresAt } = await withDefaults(options, async (services, session) => {
        await requireAccount(session, accountFrom(account));
        return approveKey(services, tenantFrom(account), input);
      });
      const until = timeOf(expiresAt);
      print(options, { code, origin, limit, expires_at: until }, () =>
        pairs({ code, application: origin, limit: limit === null ? 'none' : `${limit} USD`, expires: until }),
      );
    });
}
