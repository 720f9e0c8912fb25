/** What a command says of an id that nothing has. */
import { parseAddress } from '../../../actors/runtime/index.ts';

/** The command that shows the ids of a kind; `OWNER` stands for the account. */
const LISTS: Readonly<Record<string, string>> = {
  account: '`troupe accounts list` shows the accounts',
  key: '`troupe keys list OWNER` shows the keys',
  workspace: '`troupe workspaces list OWNER` shows the workspaces',
  endpoint: '`troupe endpoints list` shows the endpoints',
  provider: '`troupe providers list` shows the providers',
  batch: '`troupe batch list` shows the batches of a key',
  'video-job': '`troupe video list` shows the videos of a key',
  webhook: '`troupe webhooks list OWNER` shows the webhooks',
  payment: '`troupe deposits list ACCOUNT` shows the deposits',
};

/** In words: `there is no key acct_1/key_9; ...`. */
export function absentWords(address: string): string {
  const parsed = parseAddress(address);
  const list = parsed === null ? undefined : LISTS[parsed.kind];
  if (parsed === null || list === undefined) return `there is no ${address}; \`troupe ps\` shows which kinds there are`;
  const id = address.slice(parsed.kind.length + 1);
  return `there is no ${parsed.kind.replace('-', ' ')} ${id}; ${list.replace('OWNER', parsed.owner)}`;
}
