/** `troupe keys approve`: what a management key does over `/auth/keys/code`, for operators. */
import type { Command } from 'commander';
import { showAccount } from '../../../actors/account/account.ts';
import { issueCode } from '../../../actors/issuance-code/issuance-code.ts';
import { systemRandom } from '../../../actors/runtime/index.ts';
import { codeText, issuanceCodeAddress, localId, secretDigest } from '../../../actors/terms/one-time.ts';
import { parseGrant } from '../../edge/auth/grant-request.ts';
import { ConfigError } from '../config/config-error.ts';
import { loadConfig } from '../config/load.ts';
import { readPepper } from '../config/secrets.ts';
import { COMMAND_LINE } from './command-line.ts';
import { findCluster } from './find-cluster.ts';
import type { GlobalOptions } from './global-options.ts';
import { accountFrom } from './names.ts';
import { pairs, print, timeOf } from './print.ts';
import { ASK_MS, withSession } from './session.ts';

interface ApproveOptions extends GlobalOptions {
  readonly limit?: string;
}

export function addKeyApproval(keys: Command): void {
  keys
    .command('approve')
    .argument('<account>', 'the account that pays')
    .argument('<callback>', 'the address of the application: https, or http on localhost')
    .argument('<challenge>', "the S256 challenge of the application's verifier, 43 characters")
    .option('--limit <usd>', 'the most that the key may spend')
    .description('approve a key for an application: prints the one-time code that it trades for the key')
    .action(async (account: string, callback: string, challenge: string, _: unknown, command: Command) =>
      approve(accountFrom(account), { callback, challenge }, command.optsWithGlobals<ApproveOptions>()),
    );
}

async function approve(
  account: string,
  { callback, challenge }: { readonly callback: string; readonly challenge: string },
  options: ApproveOptions,
): Promise<void> {
  const given: Partial<Record<string, string | undefined>> = {
    ...{ callback_url: callback, code_challenge: challenge, limit: options.limit },
  };
  const request = parseGrant((name) => given[name] ?? null);
  if ('problem' in request) throw new ConfigError(request.problem);
  const { origin, limit } = request;
  const { signIn } = await loadConfig({ file: options.config, data: options.data, cwd: process.cwd(), env: null });
  const pepper = await readPepper((await findCluster(options)).data);
  const address = issuanceCodeAddress(account.slice('account:'.length), localId(systemRandom));
  const code = codeText(pepper, address);
  const made = {
    ...{ digest: secretDigest(pepper, 'code', code), approval: { challenge: request.challenge, origin, limit } },
    ...{ lifetimeMs: signIn.codeMs, by: COMMAND_LINE },
  };
  const { expiresAt } = await withSession(options, async ({ cluster }) => {
    await showAccount(cluster, account, ASK_MS);
    return issueCode(cluster, address, made, ASK_MS);
  });
  print(options, { code, origin, limit, expires_at: new Date(expiresAt).toISOString() }, () =>
    pairs({ code, application: origin, limit: limit === null ? 'none' : `${limit} USD`, expires: timeOf(expiresAt) }),
  );
}
