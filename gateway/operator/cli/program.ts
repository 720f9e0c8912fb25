import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import type { NodePorts } from '../../node/node-options.ts';
import { linesOf } from '../config/config-error.ts';
import { PRIVATE_UMASK } from '../launcher/private-files.ts';
import { COMMANDS } from './commands.ts';
import type { CommandContext } from './frame/command.ts';
import { visible } from './frame/print.ts';

const PARENTS_MAX = 8;
const EXAMPLES = `
Examples:
  troupe up                                 start three nodes, simulated providers and a demo account
  troupe up --port 9000 --data /srv/troupe  with its own port and data folder
  troupe up --config my.json                with real providers, declared in my.json
  troupe node --name n1 --listen 0.0.0.0:8080 --config cluster.json   one node of a cluster on several hosts
  troupe accounts create "Ada" --json       create an account
  troupe accounts deposit acct_... 25       credit it with 25 USD
  troupe keys create acct_... --limit 5     create a key that may spend 5 USD
  troupe accounts list --name ada           find an account by its name
  troupe accounts refund gen-... --reason "cut answer"   give a charge back
  troupe batch submit requests.jsonl        submit a batch and follow it to its end
  troupe batch results batch_...            print its result lines
  troupe models refresh --reason "..."      reload the providers' models documents
  troupe refusals record alpha --minutes 15 record the raw refusals of a provider, redacted
  troupe models check my.models.json        validate a models document; prints line and member of an error
  troupe ps                                 show nodes, shards and actors
  troupe why key:acct_.../key_...           explain why a key is in its state
  troupe providers add groq --preset groq --key-file groq.key   declare a real provider with the models that it lists
  troupe providers test groq                try what it really does, and print what its declaration has wrong
  troupe providers pause alpha --reason "..."  send no new call to a provider until it is resumed
  troupe reload-config --config my.json     show what a changed file changes; --yes restarts the nodes with it, one by one
  troupe reload key:acct_.../key_... --reason "..."   reload a quarantined key after its row was repaired
  troupe preflight --data /srv/troupe       before an upgrade: check that this build loads the stored state
  troupe history batch_...                  show the recorded steps of a batch, across takeovers
  troupe replay batch_... --build ../next   take them again with another build
  troupe watch 'account:*'                  stream the transitions of accounts
  troupe backup copy.db                     copy the database while the cluster runs
  troupe restore copy.db --force            restore a copy

All commands but up, node, batch, preflight, replay, migrate, backup, restore, providers add, providers test, models check and
models schema call the operator API of the cluster that runs on the data folder (./data, or the folder given with --data),
or of the nodes whose addresses --config names. A change asks for --reason.`;

/**
 * Runs the command of this process's arguments. `entry` is the module that calls it: the launcher starts it as the
 * process of every node. A failure that the user can correct prints one line and exits with code 1.
 */
export async function runProgram(entry: string, ports: NodePorts = {}): Promise<void> {
  try {
    await run(entry, ports);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode;
      return;
    }
    for (const line of linesOf(error)) process.stderr.write(visible(`troupe: ${line}\n`));
    process.exit(1);
  }
}

async function run(entry: string, ports: NodePorts): Promise<void> {
  // For this process and every one that it starts: databases, logs, marks and backups are for their owner only.
  process.umask(PRIVATE_UMASK);
  const program = new Command('troupe')
    .description('A model marketplace behind one API, built as an actor cluster.')
    .option('--config <file>', 'configuration merged over the default: JSON, or an ES module with a default export')
    .option('--data <folder>', 'the folder of all durable data (default: ./data)')
    .option('--json', 'print JSON')
    .version(packageVersion(), '-V, --version', 'print the version of this build')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(see troupe --help)')
    .exitOverride();
  const [, , first] = process.argv;
  // Needs no command; loading them is most of its time.
  if (first !== '--version' && first !== '-V') await addCommands(program, first, { entry, ports });
  await program.parseAsync();
}

/**
 * Loads the module of the first argument only: most of a short command's time is loading code. `--help`, an option
 * before the command and an unknown command need every module.
 */
async function addCommands(program: Command, first: string | undefined, context: CommandContext): Promise<void> {
  if (first !== 'up' && first !== 'node') process.stdout.on('error', endWithReader);
  const one = COMMANDS.find(({ names }) => first !== undefined && names.includes(first));
  const loaded = await Promise.all((one ? [one] : COMMANDS).map(({ load }) => load()));
  for (const add of loaded) add(program, context);
}

/** The reader may close the pipe early (`troupe models schema | head`), which is not an error. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}

/** The version in the nearest `package.json` above this file, so that it works from the sources and from `dist/`. */
function packageVersion(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let i = 0; i < PARENTS_MAX; i++, folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
  }
  throw new Error('package.json is missing from the package');
}
