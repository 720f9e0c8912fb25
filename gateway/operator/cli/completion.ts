/** `troupe completion bash|zsh|fish`: a script for the shell, made from the commands themselves. */
import { Argument, type Command } from 'commander';
import type { CommandContext, CommandModule } from './frame/command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const HELP = `
For this user, from the next shell on:
  bash   troupe completion bash > ~/.local/share/bash-completion/completions/troupe
  zsh    troupe completion zsh > "\${fpath[1]}/_troupe"
  fish   troupe completion fish > ~/.config/fish/completions/troupe.fish
`;

/** The words that may follow each group of words, such as `keys` -> `create`, `list`. */
export type WordTree = ReadonlyMap<string, readonly string[]>;

export function addCompletion(program: Command, context: CommandContext, modules: readonly CommandModule[]): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .description('print a completion script for bash, zsh or fish')
    .addHelpText('after', HELP)
    .action(async (shell: Shell, _: unknown, command: Command) => {
      process.stdout.write(SCRIPTS[shell](await wordsOf(command.parent as Command, context, modules)));
    });
}

/** Loads the modules that the program has not loaded for this command. */
async function wordsOf(
  program: Command,
  context: CommandContext,
  modules: readonly CommandModule[],
): Promise<WordTree> {
  const known = new Set(program.commands.map((command) => command.name()));
  for (const { names, load } of modules) {
    if (!names.some((name) => known.has(name))) (await load())(program, context);
  }
  return treeOf(program);
}

/** Sorted, with the options of the program at every place. */
export function treeOf(program: Command): WordTree {
  const tree = new Map<string, readonly string[]>();
  const common = optionsOf(program);
  const add = (command: Command, path: string): void => {
    const names = command.commands.map((one) => one.name());
    const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
    const own = command === program ? [] : optionsOf(command);
    tree.set(path, [...new Set([...names.sort(), ...choices, ...own, ...common, '--help'])]);
    for (const one of command.commands) add(one, path === '' ? one.name() : `${path} ${one.name()}`);
  };
  add(program, '');
  return tree;
}

function optionsOf({ options }: Command): readonly string[] {
  return options.flatMap(({ long, hidden }) => (long == null || hidden ? [] : [long]));
}

const SCRIPTS: Readonly<Record<Shell, (tree: WordTree) => string>> = {
  bash: (tree) => `${functionOf(tree, 'COMP_WORDS[@]:1:COMP_CWORD-1')}
_troupe() {
  COMPREPLY=($(compgen -W "$(_troupe_words)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _troupe troupe
`,
  zsh: (tree) => `#compdef troupe
${functionOf(tree, 'words[@]:1:CURRENT-2')}
_troupe() {
  compadd -- $(_troupe_words)
  _files
}
compdef _troupe troupe
`,
  fish: (tree) =>
    [...tree]
      .map(([path, words]) => {
        const at = path === '' ? '__fish_use_subcommand' : conditionOf(path);
        return `complete -c troupe -n '${at}' -a '${words.join(' ')}'`;
      })
      .join('\n')
      .concat('\n'),
};

/** Every word of the path was given, and no further command. */
function conditionOf(path: string): string {
  return path
    .split(' ')
    .map((word) => `__fish_seen_subcommand_from ${word}`)
    .join('; and ');
}

/** `_troupe_words` prints what may follow the words before the cursor; options and ids among them are left out. */
function functionOf(tree: WordTree, before: string): string {
  const cases = [...tree].map(([path, words]) => `    '${path}') echo '${words.join(' ')}' ;;`);
  return `_troupe_words() {
  local path='' word
  for word in "\${${before}}"; do
    case "\${path}\${path:+ }\${word}" in
${[...tree.keys()]
  .filter((path) => path !== '')
  .map((path) => `      '${path}') path='${path}' ;;`)
  .join('\n')}
    esac
  done
  case "\${path}" in
${cases.join('\n')}
  esac
}`;
}
