/** What operators read of a name that nothing has. */
import { parseAddress } from '../../actors/runtime/index.ts';
import { kindOfId } from './find-address.ts';

/** The command that shows the ids of a kind; `OWNER` stands for the account. */
const LISTS: Readonly<Record<string, string>> = {
  account: '`troupe accounts list` shows the accounts',
  key: '`troupe keys list OWNER` shows the keys',
  workspace: '`troupe workspaces list OWNER` shows the workspaces',
  endpoint: '`troupe endpoints list` shows the endpoints',
  provider: '`troupe providers list` shows the providers',
  batch: '`troupe batch list --all` shows the batches',
  'video job': '`troupe video list --all` shows the videos',
  webhook: '`troupe webhooks list OWNER` shows the webhooks',
  payment: '`troupe deposits list ACCOUNT` shows the deposits',
  deposit: '`troupe deposits list ACCOUNT` shows the deposits',
  generation: '`troupe accounts recent ACCOUNT` shows those of an account',
  file: 'a file that has expired or was deleted is gone',
};

/**
 * In words: `there is no key acct_1/key_9; ...`. `name` is an address, an id without its account, or words such as
 * `living node n9`.
 */
export function absentWords(name: string): string {
  const parsed = parseAddress(name);
  const kind = parsed?.kind.replace('-', ' ') ?? kindOfId(name);
  if (kind === null) return `there is no ${name}`;
  const list = LISTS[kind];
  if (list === undefined) return `there is no ${name}; \`troupe ps\` shows which kinds there are`;
  const id = parsed === null ? name : name.slice(parsed.kind.length + 1);
  return `there is no ${kind} ${id}; ${list.replace('OWNER', parsed?.owner ?? 'ACCOUNT')}`;
}
