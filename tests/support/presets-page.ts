/**
 * The table of presets in `docs/providers.md`, made from the presets themselves: `node tests/support/presets-page.ts`
 * after one was changed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRESETS, type Preset } from '../../gateway/catalogue/presets/presets.ts';
import { ROOT } from './sources.ts';

export const PRESETS_PAGE = 'docs/providers.md';

const TABLE = /^\| Preset \|.*\n\| --- .*\n(?:\|.*\n)*/m;
const HEAD = '| Preset | Provider | `wire` | Found, and where | Only a key can confirm |\n|';

/** The page with a row for each preset. */
export function withPresets(page: string): string {
  if (!TABLE.test(page)) throw new Error(`${PRESETS_PAGE} has no table of presets`);
  const rows = Object.entries(PRESETS).map(rowOf);
  return page.replace(TABLE, () => `${HEAD}${' --- |'.repeat(5)}\n${rows.join('')}`);
}

function rowOf([name, preset]: readonly [string, Preset]): string {
  const { title, baseUrl, example, dialect, wire, verified, unverified } = preset;
  const address = baseUrl === null ? `an own one, such as \`${example}\`` : `\`${baseUrl}\``;
  const cells = [
    `\`${name}\``,
    `${title}: ${dialect}, ${address}`,
    `\`${JSON.stringify(wire)}\``,
    verified,
    unverified,
  ];
  return `| ${cells.join(' | ')} |\n`;
}

if (import.meta.main) {
  const path = join(ROOT, PRESETS_PAGE);
  writeFileSync(path, withPresets(readFileSync(path, 'utf8')));
}
