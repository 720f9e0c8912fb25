/** Completion scripts hold the commands as they are, and the one of bash is run by bash. */
import { execFileSync } from 'node:child_process';
import { Command } from 'commander';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS } from '../../../../gateway/operator/cli/commands.ts';
import { treeOf } from '../../../../gateway/operator/cli/completion.ts';
import { bounded } from '../../../support/bounded.ts';
import { told } from './in-process.ts';

const it = bounded(test);

it('every command of every module is in the tree, with its options and choices', async () => {
  const program = new Command('troupe').option('--data <folder>');
  for (const { load } of COMMANDS) (await load())(program, { entry: '', ports: {} });
  const tree = treeOf(program);
  const names = COMMANDS.flatMap(({ names }) => names);
  assert.equal(tree.get('')?.slice(0, names.length), [...names].sort());
  assert.ok(['--limit', '--window', '--data', '--help'].every((option) => tree.get('keys create')?.includes(option)));
  assert.ok(['bash', 'zsh', 'fish'].every((shell) => tree.get('completion')?.includes(shell)));
  assert.ok(['pause', 'resume', 'list'].every((name) => tree.get('providers')?.includes(name)));
});

it('bash completes commands, subcommands, options and prefixes, also behind options', async () => {
  const script = await told(['completion', 'bash']);
  const completed = (...words: readonly string[]): readonly string[] => {
    const line = `${script}\nCOMP_WORDS=(troupe "$@"); COMP_CWORD=$#; _troupe; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', line, 'bash', ...words], { encoding: 'utf8' })
      .trim()
      .split('\n');
  };
  assert.equal(completed('provi'), ['providers']);
  assert.equal(completed('providers', 're'), ['resume']);
  assert.equal(completed('keys', 'create', 'acct_1', '--win'), ['--window']);
  assert.equal(completed('--data', 'x', 'accounts', 'ref'), ['refund', 'refused']);
  assert.equal(completed('completion', ''), ['bash', 'zsh', 'fish', '--config', '--data', '--json', '--help']);
});

it('zsh and fish name the same commands', async () => {
  assert.match(await told(['completion', 'zsh']), /^#compdef troupe\n[\s\S]*'keys create'\) echo '[^']*--window/);
  assert.match(
    await told(['completion', 'fish']),
    /\ncomplete -c troupe -n '__fish_seen_subcommand_from keys; and __fish_seen_subcommand_from create' -a '[^']*--window/,
  );
  const failed = await told(['completion', 'powershell']).catch((error: Error) => error.message);
  assert.match(failed, /Allowed choices are bash, zsh, fish/);
});

test.run();
