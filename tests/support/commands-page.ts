/**
 * The tables of `docs/commands.md`, made from the commands themselves: `node tests/support/commands-page.ts` after a
 * command was added or described anew. The page groups them: a table follows each line `<!-- commands: ps why -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { COMMANDS } from '../../gateway/operator/cli/commands.ts';
import { ROOT } from './sources.ts';

export const COMMANDS_PAGE = 'docs/commands.md';

const MARKED = /^<!-- commands: ([a-z -]+) -->\n\n(?:(?:\|.*\n)+\n)?/gm;

/** Every command by the words that call it, such as `keys create`. */
export async function commandsByName(): Promise<ReadonlyMap<string, Command>> {
  const program = new Command('troupe');
  for (const { load } of COMMANDS) (await load())(program, { entry: '', ports: {} });
  return new Map(program.commands.flatMap((command) => under(command, command.name())));
}

function under(command: Command, name: string): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[name, command]];
  return command.commands.flatMap((one) => under(one, `${name} ${one.name()}`));
}

/** The first words that the page's tables are made for, in its order. */
export function subjectsOf(page: string): readonly string[] {
  return [...page.matchAll(MARKED)].flatMap(([, names = '']) => names.split(' '));
}

/** The page with its tables as the commands are now. */
export function withTables(page: string, commands: ReadonlyMap<string, Command>): string {
  return page.replace(MARKED, (_, names: string) => {
    const rows = names.split(' ').flatMap((name) => rowsOf(name, commands));
    return [`<!-- commands: ${names} -->`, '', '| Command | What it does |', '|---|---|', ...rows, '', ''].join('\n');
  });
}

function rowsOf(first: string, commands: ReadonlyMap<string, Command>): readonly string[] {
  return [...commands]
    .filter(([name]) => name.split(' ')[0] === first)
    .map(([name, command]) => {
      const usage = command.usage().replace(/^\[options\] ?/, '');
      return `| \`${`${name} ${usage}`.trim()}\` | ${command.description()} |`;
    });
}

if (import.meta.main) {
  const file = join(ROOT, COMMANDS_PAGE);
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), await commandsByName()));
}
