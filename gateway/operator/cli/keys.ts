/** `troupe keys`: makes, revokes and lists API keys. A key's text is made here, printed once, and stored nowhere. */
import type { Command } from 'commander';
import type { Credential } from '../../../actors/key/credential.ts';
import { changeKey, createKey, type NewKey } from '../../../actors/key/key.ts';
import { systemRandom } from '../../../actors/runtime/index.ts';
import { keyAddress, keyDigest, keyId, keyText, maskKey } from '../../../actors/terms/ids.ts';
import { ConfigError } from '../config/config-error.ts';
import { readPepper } from '../config/secrets.ts';
import { dataFolderOf, type GlobalOptions } from './global-options.ts';
import { accountFrom, amountFrom, countFrom, keyFrom, timeFrom } from './names.ts';
import { pairs, print, table, timeOf } from './print.ts';
import { ASK_MS, withSession } from './session.ts';

interface CreateOptions extends GlobalOptions {
  readonly name: string;
  readonly limit?: string;
  readonly window?: string;
  readonly expires?: string;
  readonly perMinute?: string;
  readonly management?: boolean;
}

const WINDOWS = ['daily', 'weekly', 'monthly'] as const;
const LISTED_MAX = 1_000;

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('make, revoke and list API keys');
  keys
    .command('create')
    .argument('<account>', 'the account that pays')
    .option('--name <name>', 'a name for people', '')
    .option('--limit <usd>', 'what the key may spend at most')
    .option('--window <window>', `the limit starts again: ${WINDOWS.join(', ')} (UTC; default: never)`)
    .option('--expires <time>', 'when the key ends, such as 2030-01-31T00:00:00Z')
    .option('--per-minute <count>', 'requests per minute (default: as configured)')
    .option('--management', 'a key that manages keys and spends nothing')
    .description('make a key; its text is shown this once')
    .action(async (account: string, _: unknown, command: Command) =>
      create(account, command.optsWithGlobals<CreateOptions>()),
    );
  keys
    .command('revoke')
    .argument('<key>', 'the key, as acct_.../key_...')
    .description('end a key for good')
    .action(async (key: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = keyFrom(key);
      const view = await withSession(options, ({ cluster }) => changeKey(cluster, address, 'revoke', ASK_MS));
      print(options, view, () => pairs({ key: shortKey(view.key), label: view.label, status: view.status }));
    });
  keys
    .command('list')
    .argument('<account>', 'the account')
    .description(`list the keys of an account, newest first, at most ${LISTED_MAX}`)
    .action(async (account: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const query = {
        collection: 'credential',
        where: { column: 0, equals: accountFrom(account) },
        order: 'descending',
        limit: LISTED_MAX,
      } as const;
      const rows = await withSession(options, ({ operator }) => operator.rows(query));
      const listed = rows.map((row) => JSON.parse(row.body) as Credential);
      print(options, listed, () => renderList(listed));
    });
}

function renderList(listed: readonly Credential[]): string {
  const rows = listed.map((key) => [
    shortKey(key.key),
    key.label,
    key.kind,
    key.status,
    timeOf(key.createdAt) ?? '',
    timeOf(key.expiresAt) ?? 'never',
    key.name,
  ]);
  return table(['KEY', 'LABEL', 'KIND', 'STATUS', 'CREATED', 'EXPIRES', 'NAME'], rows);
}

async function create(account: string, options: CreateOptions): Promise<void> {
  const owner = accountFrom(account).slice('account:'.length);
  const address = keyAddress(owner, keyId(systemRandom));
  const text = keyText(systemRandom);
  const made = newKey(text, await readPepper(await dataFolderOf(options)), options);
  const created = await withSession(options, ({ cluster }) => createKey(cluster, address, made, ASK_MS));
  print(options, { ...created, text }, () =>
    [
      pairs({ key: shortKey(created.key), kind: made.kind, text }),
      '',
      'Keep the text: it is not stored and cannot be shown again.',
    ].join('\n'),
  );
}

function newKey(text: string, pepper: Uint8Array, options: CreateOptions): NewKey {
  return {
    digest: keyDigest(pepper, text),
    label: maskKey(text),
    name: options.name,
    kind: options.management ? 'management' : 'inference',
    limit: options.limit === undefined ? null : amountFrom(options.limit),
    limitWindow: windowFrom(options),
    expiresAt: options.expires === undefined ? null : timeFrom(options.expires),
    perMinute: options.perMinute === undefined ? null : countFrom(options.perMinute, 'number of requests'),
  };
}

function windowFrom({ window, limit }: CreateOptions): NewKey['limitWindow'] {
  if (window === undefined) return null;
  const known = WINDOWS.find((one) => one === window);
  if (!known) throw new ConfigError(`"${window}" is no window; write one of ${WINDOWS.join(', ')}`);
  if (limit === undefined) throw new ConfigError('--window needs --limit: it says when the limit starts again');
  return known;
}

function shortKey(address: string): string {
  return address.replace(/^key:/, '');
}
