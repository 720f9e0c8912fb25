/** `troupe providers`: what is declared, pauses of it, and the keys of a provider's account. */
import type { Command } from 'commander';
import { createAccount } from '../../../actors/account/account.ts';
import type { ProviderState } from '../../../actors/provider/provider.machine.ts';
import { accountAddress, providerAccountId, providerAddress } from '../../../actors/terms/ids.ts';
import type { Pause } from '../../../actors/terms/pause.ts';
import { ConfigError } from '../config/config-error.ts';
import { inspectAll } from './endpoints.ts';
import type { GlobalOptions } from './global-options.ts';
import { type CreateOptions, createKeyOf, listKeysOf, renderCreated, renderKeys } from './keys.ts';
import { providerFrom } from './names.ts';
import { addPauses } from './pauses.ts';
import { print, table, timeOf } from './print.ts';
import { ASK_MS, type Session, withSession } from './session.ts';

export function addProviders(program: Command): void {
  const providers = program
    .command('providers')
    .description("list, pause and resume the providers; their accounts' keys");
  addPauses(providers, ['<provider>', 'the slug, as `troupe providers list` prints it'], providerFrom);
  providers
    .command('list')
    .description('list providers with their account, their models document and its last problem')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const found = await withSession(options, providersOf);
      print(options, found, () => renderProviders(found));
    });
  addProviderKeys(providers);
}

function addProviderKeys(providers: Command): void {
  const keys = providers.command('keys').description("create and list the keys of a provider's account");
  keys
    .command('create')
    .argument('<provider>', 'the slug of a declared provider')
    .option('--name <name>', 'a display name', '')
    .option('--expires <time>', 'when the key expires, such as 2030-01-31T00:00:00Z')
    .option('--per-minute <count>', 'requests per minute (default: as configured)')
    .description('create a key that reads and reports for the provider and spends nothing; shown only once')
    .action(async (slug: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CreateOptions>();
      const created = await withSession(options, async (session) => {
        const account = await openProviderAccount(session, slug);
        return createKeyOf(session, account, options, 'provider');
      });
      print(options, created, () => renderCreated(created));
    });
  keys
    .command('list')
    .argument('<provider>', 'the slug of a provider')
    .description("list the keys of a provider's account; `troupe keys` changes them")
    .action(async (slug: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const account = accountAddress(providerAccountId(slug));
      const found = await withSession(options, (session) => listKeysOf(session, account));
      print(options, found, () => renderKeys(found));
    });
}

/** The account that belongs to a declared provider, created with its first key. @throws ConfigError */
async function openProviderAccount({ operator, cluster }: Session, slug: string): Promise<string> {
  const found = await operator.inspect(providerAddress(slug)).catch(() => null);
  const declared = (found?.context as unknown as ProviderState | undefined)?.facts ?? null;
  if (declared === null) throw new ConfigError(`no provider "${slug}" is declared; see \`troupe providers list\``);
  const account = accountAddress(providerAccountId(slug));
  await createAccount(cluster, account, `Provider ${slug}`, ASK_MS);
  return account;
}

interface ShownProvider {
  readonly address: string;
  readonly slug: string;
  readonly name: string | null;
  /** The account that belongs to it; created with its first key. */
  readonly account: string;
  readonly status: string;
  readonly paused: Pause | null;
  readonly endpoints: number;
  readonly readAt: string | null;
  readonly problem: string | null;
}

async function providersOf(session: Session): Promise<readonly ShownProvider[]> {
  const found = await inspectAll(session, 'provider');
  return found.map(({ address, state, context }) => {
    const { slug, facts, document, paused = null } = context as unknown as ProviderState;
    return {
      ...{ address, slug, name: facts?.name ?? null, account: providerAccountId(slug) },
      ...{ status: paused === null ? state : `${state}, paused`, paused },
      ...{ endpoints: document?.endpoints ?? 0, readAt: timeOf(document?.since ?? null) },
      problem: document?.problem ?? null,
    };
  });
}

function renderProviders(found: readonly ShownProvider[]): string {
  const rows = found.map((one) => [
    ...[one.slug, one.name ?? '', one.status, String(one.endpoints), one.readAt ?? 'never', one.account],
    one.paused?.reason ?? one.problem ?? '',
  ]);
  return table(
    ['PROVIDER', 'NAME', 'STATUS', 'ENDPOINTS', 'UNCHANGED SINCE', 'ACCOUNT', 'PAUSED FOR, OR PROBLEM'],
    rows,
  );
}
