/** The text that `troupe up` prints once the cluster serves: addresses, and a request ready to paste. */
import type { ConnectionInfo } from './connection.ts';

export interface BannerOptions {
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
  const lines = [
    '',
    `Troupe is up: ${count} (${names}) in ${(startedInMs / 1_000).toFixed(1)} s`,
    '',
    `  API         ${connection.base_url}`,
    ...(connection.api_key === null ? [] : [`  API key     ${connection.api_key}`]),
    ...(connection.operator_url === null ? [] : [`  Operators   ${connection.operator_url}`]),
    `  All of it   ${connectionFile}`,
    '',
    ...(connection.api_key === null || model === null ? [] : ['Try it:', '', curl(connection, model), '']),
    `Look inside with \`npx troupe ps${data === null ? '' : ` --data ${data}`}\` (more: \`npx troupe --help\`). Ctrl-C drains and stops.`,
    '',
  ];
  return `${lines.join('\n')}\n`;
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
