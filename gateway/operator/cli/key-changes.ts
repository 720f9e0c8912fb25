/** `troupe keys show|rename|move|expire|assign|import`: what a management key does over `/keys`, for operators. */
import type { Command } from 'commander';
import type { KeyEdit } from '../../../actors/key/changes.ts';
import { createKey, editKey, moveKey, showKey } from '../../../actors/key/key.ts';
import type { KeyView } from '../../../actors/key/statement.ts';
import {
  defaultWorkspaceId,
  importedKeyDigest,
  importedKeyId,
  isKeyHandle,
  keyAddress,
  LEGACY_KEY_PREFIX,
} from '../../../actors/terms/ids.ts';
import { ConfigError } from '../config/config-error.ts';
import { readPepper } from '../config/secrets.ts';
import { COMMAND_LINE } from './command-line.ts';
import { findCluster } from './find-cluster.ts';
import type { GlobalOptions } from './global-options.ts';
import { accountFrom, keyFrom, timeFrom } from './names.ts';
import { pairs, print, timeOf } from './print.ts';
import { ASK_MS, withSession } from './session.ts';

const NAME_CHARACTERS_MAX = 256;
const CHANGE = { by: COMMAND_LINE, withinMs: ASK_MS } as const;

export function addKeyChanges(keys: Command): void {
  keys
    .command('show')
    .argument('<key>', 'the key, as key_... or acct_.../key_...')
    .description('show a key: its handle, limit, spend, workspace and member')
    .action(async (key: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = await keyFrom(key, options);
      printKey(options, await withSession(options, ({ cluster }) => showKey(cluster, address, ASK_MS)));
    });
  addEdit(keys, 'rename', ['<name>', 'the new display name'], 'rename a key', (name) => ({ name: nameFrom(name) }));
  addEdit(keys, 'expire', ['<time>', 'such as 2030-01-31T00:00:00Z, or never'], 'set when a key expires', (time) => ({
    expiresAt: time === 'never' ? null : timeFrom(time),
  }));
  addEdit(keys, 'assign', ['<member>', "a member of the key's workspace, or nobody"], 'assign a key', (member) => ({
    member: member === 'nobody' ? null : nameFrom(member),
  }));
  keys
    .command('move')
    .argument('<key>', 'the key, as key_... or acct_.../key_...')
    .argument('<workspace>', 'the id of the workspace, ws_..., or default')
    .description('move a key to another workspace of its account')
    .action(async (key: string, workspace: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = await keyFrom(key, options);
      const owner = address.slice('key:'.length, address.indexOf('/'));
      const to = ['default', defaultWorkspaceId(owner)].includes(workspace) ? null : workspace;
      printKey(options, await withSession(options, ({ cluster }) => moveKey(cluster, address, to, CHANGE)));
    });
  keys
    .command('import')
    .argument('<account>', 'the account that pays')
    .argument('<sha256>', 'the SHA-256 of the whole text of the key, 64 hex digits')
    .option('--name <name>', 'a display name', 'imported')
    .description(
      `import a key that starts with ${LEGACY_KEY_PREFIX} by its digest; repeating the command has no effect`,
    )
    .action(async (account: string, sha256: string, _: unknown, command: Command) =>
      importKey(account, sha256, command.optsWithGlobals<GlobalOptions & { readonly name: string }>()),
    );
}

function addEdit(
  keys: Command,
  name: string,
  [argument, meaning]: readonly [string, string],
  description: string,
  editOf: (text: string) => KeyEdit,
): void {
  keys
    .command(name)
    .argument('<key>', 'the key, as key_... or acct_.../key_...')
    .argument(argument, meaning)
    .description(description)
    .action(async (key: string, text: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const address = await keyFrom(key, options);
      const edit = editOf(text);
      printKey(options, await withSession(options, ({ cluster }) => editKey(cluster, address, edit, CHANGE)));
    });
}

/** Only the operator imports by digest alone: it is no secret, since it is the public handle of a key. */
async function importKey(
  account: string,
  sha256: string,
  options: GlobalOptions & { readonly name: string },
): Promise<void> {
  if (!isKeyHandle(sha256)) throw new ConfigError(`"${sha256}" is not a SHA-256; write 64 lower case hex digits`);
  const owner = accountFrom(account).slice('account:'.length);
  const digest = importedKeyDigest(await readPepper((await findCluster(options)).data), sha256);
  const address = keyAddress(owner, importedKeyId(digest));
  const view = await withSession(options, async ({ cluster, operator }) => {
    const known = await operator.rowById('credential', digest);
    if (known !== null && known.address !== address) throw new ConfigError('this key is in use already');
    const made = {
      ...{ digest, handle: sha256, label: `${LEGACY_KEY_PREFIX}...`, name: options.name, kind: 'inference' as const },
      ...{ limit: null, limitWindow: null, expiresAt: null, perMinute: null, by: COMMAND_LINE },
    } as const;
    await createKey(cluster, address, made, ASK_MS);
    return showKey(cluster, address, ASK_MS);
  });
  printKey(options, view);
}

function nameFrom(text: string): string {
  if (text !== '' && text.length <= NAME_CHARACTERS_MAX) return text;
  throw new ConfigError(`a name must have 1 to ${NAME_CHARACTERS_MAX} characters`);
}

function printKey(options: GlobalOptions, view: KeyView): void {
  const { key, handle, label, name, kind, status, limit, limitWindow, limitRemaining, usage, workspace } = view;
  print(options, view, () =>
    pairs({
      ...{ key: key.replace(/^key:/, ''), handle, label, name: name || null, kind, status },
      limit: limit === null ? 'none' : `${limit} USD${limitWindow === null ? '' : ` ${limitWindow}`}`,
      left: limitRemaining === null ? null : `${limitRemaining} USD`,
      spent: `${usage} USD`,
      workspace: workspace ?? 'default',
      member: view.member,
      origin: view.origin,
      created: timeOf(view.createdAt),
      changed: timeOf(view.updatedAt),
      expires: timeOf(view.expiresAt) ?? 'never',
    }),
  );
}
