/**
 * The `troupe` command, and the process of every node. Every failure a person can mend is one line and exit code 1.
 */
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { lineOf } from '../config/config-error.ts';

const ENTRY = fileURLToPath(import.meta.url);

const EXAMPLES = `
Examples:
  troupe up                                 start three nodes, simulated providers and a demo account
  troupe up --port 9000 --data /srv/troupe  with its own port and data folder
  troupe up --config my.json                with real providers, declared in my.json
  troupe accounts create "Ada" --json       make an account
  troupe accounts deposit acct_... 25       credit it with 25 USD
  troupe keys create acct_... --limit 5     make a key that may spend 5 USD
  troupe models refresh                     read the providers' models documents anew
  troupe models check my.models.json        is this models document whole? says line and member if not
  troupe ps                                 see nodes, shards and actors
  troupe why key:acct_.../key_...           see why a key is in its state
  troupe reload key:acct_.../key_...        try a quarantined key again, after its row was mended
  troupe preflight --data /srv/troupe       before an upgrade: does this build load what is stored?
  troupe watch 'account:*'                  see accounts change while they do
  troupe backup copy.db                     copy the database while the cluster runs
  troupe restore copy.db --force            put a copy back

All commands but up, node, preflight, migrate, backup, restore, models check and models schema speak to the cluster
that runs on the data folder (./data unless --data says otherwise).`;

async function main(): Promise<void> {
  const program = new Command('troupe')
    .description('A model marketplace behind one API, built as an actor cluster.')
    .option('--config <file>', 'configuration laid over the default: JSON, or an ES module with a default export')
    .option('--data <folder>', 'where everything durable lies (default: ./data)')
    .option('--json', 'answer with JSON')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(troupe --help shows how)')
    .exitOverride();
  await addCommands(program, process.argv[2]);
  await program.parseAsync();
}

/** What starts processes loads nothing of the other commands; these, and `--help`, load them all. */
async function addCommands(program: Command, first: string | undefined): Promise<void> {
  if (first !== 'node') (await import('./up.ts')).addUp(program, ENTRY);
  if (first !== 'up') (await import('./node.ts')).addNode(program);
  if (first === 'up' || first === 'node') return;
  process.stdout.on('error', endWithReader);
  const [
    { addAccounts },
    { addKeys },
    { addLook },
    { addReload },
    { addPreflight },
    { addMaintenance: addUpkeep },
    { addDeadLetters: addAside },
    { addModels },
  ] = await Promise.all([
    import('./accounts.ts'),
    import('./keys.ts'),
    import('./look.ts'),
    import('./reload.ts'),
    import('./preflight.ts'),
    import('./maintenance.ts'),
    import('./dead-letters.ts'),
    import('./models.ts'),
  ]);
  addAccounts(program);
  addKeys(program);
  addModels(program);
  addLook(program);
  addAside(program);
  addReload(program);
  addPreflight(program);
  addUpkeep(program);
}

/** A reader that has seen enough closes its pipe (`troupe models schema | head`): no fault of the command. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}

main().catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode;
    return;
  }
  process.stderr.write(`troupe: ${lineOf(error)}\n`);
  process.exit(1);
});
