/** The text that `troupe up` prints once the cluster serves: addresses, and a request ready to paste. */

import type { Waits } from '../../../actors/runtime/index.ts';
import type { ConnectionInfo } from './connection.ts';

interface BannerOptions {
  readonly connection: ConnectionInfo;
  readonly connectionFile: string;
  /** The folder for `--data`; null if it is the default folder of the commands. */
  readonly data: string | null;
  /** A served model; null if none is known yet. */
  readonly model: string | null;
  readonly startedInMs: number;
}

export function renderBanner({ connection, connectionFile, data, model, startedInMs }: BannerOptions): string {
  const names = connection.nodes.map((node) => node.name).join(', ');
  const count = connection.nodes.length === 1 ? 'one node' : `${connection.nodes.length} nodes`;
  const at = data === null ? '' : ` --data ${data}`;
  const lines = [
    '',
    `Troupe is up: ${count} (${names}) in ${(startedInMs / 1_000).toFixed(1)} s`,
    '',
    `  API         ${connection.base_url}`,
    ...(connection.api_key === null ? [] : [`  API key     ${connection.api_key}`]),
    `  All of it   ${connectionFile}`,
    '',
    ...pages(connection, at),
    ...(connection.api_key === null
      ? accountCommands(at)
      : model === null
        ? []
        : ['Try it:', '', curl(connection, model), '', ...forSdks(connection)]),
    `Look inside with \`npx troupe ps${at}\` (more: \`npx troupe --help\`). Ctrl-C drains and stops.`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** What opens in a browser. A management key signs in; the demo has one. */
function pages({ base_url, management_key, operator_url }: ConnectionInfo, at: string): readonly string[] {
  const console = [
    `  Console     ${operator_url}/console/`,
    `              sign in with the link of \`npx troupe console${at}\``,
  ];
  const forOperators = operator_url === null ? [] : console;
  if (base_url === null) return forOperators.length === 0 ? [] : ['In a browser:', '', ...forOperators, ''];
  const site = base_url.replace(/\/api\/v1$/, '');
  const key = management_key === null ? 'a management key' : `the management key ${management_key}`;
  return [
    'In a browser:',
    '',
    `  Catalogue   ${site}/models`,
    `  API         ${base_url}/docs`,
    `  Account     ${site}/account`,
    `              sign in with ${key}`,
    ...forOperators,
    '',
  ];
}

/** Beside real providers there is no demo account. The commands may be repeated: the id makes one account. */
function accountCommands(at: string): readonly string[] {
  return [
    'Make an account, credit it, and make its first key:',
    '',
    `  npx troupe accounts create "First customer" --id acct_first${at}`,
    `  npx troupe accounts deposit acct_first 25 --id dep_first${at}`,
    `  npx troupe keys create acct_first${at}`,
    '',
  ];
}

/** SDKs read both variables, so that their snippets run as they are, with a model of this catalogue. */
function forSdks({ base_url, api_key }: ConnectionInfo): readonly string[] {
  return [`  export OPENAI_BASE_URL=${base_url}`, `  export OPENAI_API_KEY=${api_key}`, ''];
}

function curl(connection: ConnectionInfo, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello' }] });
  return [
    `  curl ${connection.base_url}/chat/completions \\`,
    `    -H 'Authorization: Bearer ${connection.api_key}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '${body}'`,
  ].join('\n');
}

const NAMED_MAX = 3;

/** What a draining node waits for, as a sentence without its subject. */
export function waitsLine({ addresses, leftMs }: Waits): string {
  const named = addresses.slice(0, NAMED_MAX).join(', ');
  const more = addresses.length > NAMED_MAX ? ' ...' : '';
  const what = addresses.length === 1 ? '1 activity' : `${addresses.length} activities`;
  return `waits at most ${Math.ceil(leftMs / 1_000)} s for ${what} that no other node can continue: ${named}${more}`;
}
