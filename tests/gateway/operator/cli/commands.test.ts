/** Most of a short command's time is loading code, so a command loads its own module, and that only what it needs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS } from '../../../../gateway/operator/cli/commands.ts';
import { bounded } from '../../../support/bounded.ts';
import { ROOT, read, target } from '../../../support/sources.ts';

const it = bounded(test);
const CONTEXT = { entry: 'main.js', ports: {} };

it('the list names exactly the commands that each module adds', async () => {
  for (const { names, load } of COMMANDS) {
    const program = new Command('troupe');
    (await load())(program, CONTEXT);
    assert.equal(
      program.commands.map((command) => command.name()),
      names,
    );
  }
});

/** The packages that a file loads with itself: types are erased, and what it imports later is not counted. */
function packagesOf(path: string, seen = new Set<string>()): ReadonlySet<string> {
  const source = read(path);
  const text = readFileSync(join(ROOT, path), 'utf8');
  const packages = new Set<string>();
  for (const specifier of source.imports) {
    if (!new RegExp(`^(?:import|export) (?!type )[^;]*? from '${specifier}'`, 'm').test(text)) continue;
    const file = target(source, specifier);
    if (file === null) packages.add(specifier);
    else if (!seen.has(file)) for (const one of packagesOf(file, seen.add(file))) packages.add(one);
  }
  return packages;
}

function loadsOnly(command: string, packages: readonly string[]): void {
  const loaded = [...packagesOf(`gateway/operator/cli/${command}.ts`)].filter((name) => !name.startsWith('node:'));
  assert.ok(loaded.length > 0);
  assert.equal(
    loaded.filter((name) => !packages.includes(name)),
    [],
  );
}

it('a command that asks a running cluster loads no validator, store or HTTP client with itself', () => {
  // XState takes 7 ms to load; what a command reads of a kind lies beside the parts of its chart.
  const asking = ['decimal.js', 'ipaddr.js', 'xstate'];
  for (const command of ['cluster/look', 'cluster/repair', 'provider/refusals', 'provider/models', 'account/accounts'])
    loadsOnly(command, asking);
  for (const command of ['key/keys', 'account/workspaces', 'client/jobs']) loadsOnly(command, asking);
});

it('the program itself loads the parser of the command line only', () => loadsOnly('program', ['commander']));

test.run();
