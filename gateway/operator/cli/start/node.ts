/**
 * `troupe node`: one node of a cluster. Under a launcher it receives connections over the process channel, answers
 * pings, and drains on the launcher's request or after its exit. With `--listen` it opens the public port itself.
 */
import { type NodeRestarts, systemClock } from '../../../../actors/runtime/index.ts';
import type { NodeHandle } from '../../../main.ts';
import type { NodeOptions, NodePorts } from '../../../node/node-options.ts';
import type { ClusterConfig } from '../../../terms/config/config.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import { isHost } from '../../config/interfaces.ts';
import { loadConfig } from '../../config/load.ts';
import { readToken } from '../../config/secrets.ts';
import { baseUrl } from '../../launcher/connection.ts';
import { prepareDataFolder } from '../../launcher/data-folder.ts';
import { addLoneNode, type LoneNode, removeLoneNode } from '../../launcher/lone-node.ts';
import { EXIT_UNCAUGHT, type NodeDeath } from '../../launcher/message.ts';
import { type NodeReceiver, openNodeReceiver } from '../../launcher/node-receiver.ts';
import { openPublicPort } from '../../launcher/public-port.ts';
import { type Given, local } from '../frame/command.ts';
import { START_OPTIONS } from './start-options.ts';
import { voidKeys } from './void-keys.ts';

const OPTIONS = {
  '--name <name>': { meaning: 'the name of this node in the configuration', required: true },
  '--listen <host:port>': {
    meaning: 'open the public API here (default: connections come from the launcher, if there is one)',
    parse: listenFrom,
  },
  ...START_OPTIONS,
} as const;
type NodeCommandOptions = Given<unknown, typeof OPTIONS>;

const HTTP_PORT = 80;
/** Longest wait for the fault message to reach the launcher; a stopped launcher never reads it. */
const FAULT_MS_MAX = 1_000;
/** Without a launcher, longest wait for the store to record the node's own crash. */
const RECORD_DEATH_MS_MAX = 300;

export const commands = [
  local('node', 'run one node of a cluster; `up` starts one for each name in the configuration', {
    options: OPTIONS,
    run: (options, { ports }) => {
      const { logLevel } = options;
      return node(options, logLevel === undefined ? ports : { ...ports, logLevel });
    },
  }),
];

async function node(options: NodeCommandOptions, ports: NodePorts): Promise<void> {
  const { listen } = options;
  let running: NodeHandle | null = null;
  const leave = (): void => {
    // Before the node serves there is nothing to drain.
    if (!running) process.exit(0);
    running.drain().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  const early: NodeDeath[] = [];
  const died = (death: NodeDeath): void => {
    if (running) recordDeath(running, death);
    else early.push(death);
  };
  const restarts = new Map<string, NodeRestarts>();
  const restarted = (noted: NodeRestarts): void => {
    restarts.set(noted.name, noted);
    running?.cluster.operator.noteRestarts(noted);
  };
  const receiver = process.send ? underLauncher(() => running, { leave, died, restarted }) : null;
  exitOnUncaught(() => (receiver ? null : running));
  try {
    if (listen) await requireFree(listen);
    const started = await start(options, ports, {
      onDraining: () => receiver?.close(),
      onWaiting: (what) => receiver?.waits(what),
    });
    running = started.node;
    for (const death of early.splice(0)) recordDeath(running, death);
    for (const noted of restarts.values()) running.cluster.operator.noteRestarts(noted);
    await running.ready;
    const { incarnation, grpcAddress: grpc, operatorUrl } = running;
    receiver?.up({ incarnation, grpc, operatorUrl });
    const url = listen ? await running.listen(listen.host, listen.port) : null;
    if (!receiver) await announce(started, url);
  } catch (error) {
    await reportFault(receiver, error);
    throw error;
  }
}

interface Started {
  readonly node: NodeHandle;
  readonly config: ClusterConfig;
}

async function start(
  options: NodeCommandOptions,
  ports: NodePorts,
  told: Required<Pick<NodeOptions, 'onDraining' | 'onWaiting'>>,
): Promise<Started> {
  const { config: file, data, name } = options;
  // Loaded in parallel: most of a start is loading code.
  const [config, { runNode }] = await Promise.all([
    loadConfig({ file, data, cwd: process.cwd(), env: process.env }),
    import('../../../main.ts'),
  ]);
  if (!config.nodes.some((one) => one.name === name)) {
    throw new ConfigError(
      `--name ${name} is not a configured node; the nodes are ${config.nodes.map((one) => one.name).join(', ')}`,
    );
  }
  // A launcher has done so for its nodes.
  if (!process.send) prepareDataFolder(config.data);
  if (options.newPepper) await voidKeys(config, (line) => void process.stderr.write(`troupe: ${line}\n`));
  return { node: await runNode({ config, name, env: process.env, ports, ...told }), config };
}

/** Without a launcher the node itself tells the commands on this host, and its log, where it serves. */
async function announce({ node, config }: Started, url: string | null): Promise<void> {
  const { name, pid, grpcAddress: grpc, operatorUrl } = node;
  const tls = config.nodes.find((one) => one.name === name)?.tls;
  const listed = { name, pid, grpc, operator_url: operatorUrl, ...(tls ? { tls } : {}) };
  const at = url === null ? null : new URL(url);
  const lone: LoneNode = {
    data: config.data,
    node: listed,
    baseUrl: at && baseUrl(at.hostname.replace(/^\[|\]$/g, ''), Number(at.port || HTTP_PORT)),
    operatorToken: await readToken(config.data, 'operator'),
  };
  process.on('exit', () => removeLoneNode(lone));
  await addLoneNode(lone).catch((error: unknown) => {
    process.stderr.write(`troupe: connection.json cannot be written: ${lineOf(error)}\n`);
  });
  process.stdout.write(`${JSON.stringify({ node: name, url, grpc, operatorUrl, pid })}\n`);
}

/** Before the node joins: a member that cannot listen would leave the others without a drain. */
async function requireFree(listen: ListenAddress): Promise<void> {
  const remedy = { host: '--listen', port: '--listen HOST:PORT' };
  (await openPublicPort(listen, (socket) => void socket.destroy(), remedy)).close();
}

/** A death that the store does not record counts as killed: in doubt the activities that ran are not suspects. */
function recordDeath(node: NodeHandle, { incarnation, cause }: NodeDeath): void {
  node.cluster.operator.recordDeath(incarnation, cause).catch(() => {});
}

/** After an uncaught error the process state is undefined: the process exits, and its launcher records how. */
function exitOnUncaught(unwatched: () => NodeHandle | null): void {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? String(error)}\n`);
    const node = unwatched();
    if (!node) process.exit(EXIT_UNCAUGHT);
    systemClock.after(RECORD_DEATH_MS_MAX, () => process.exit(EXIT_UNCAUGHT));
    node.cluster.operator
      .recordDeath(node.incarnation, 'crashed')
      .catch(() => {})
      .finally(() => process.exit(EXIT_UNCAUGHT));
  });
}

interface LauncherCommands {
  readonly leave: () => void;
  readonly died: (death: NodeDeath) => void;
  readonly restarted: (restarts: NodeRestarts) => void;
}

function underLauncher(running: () => NodeHandle | null, commands: LauncherCommands): NodeReceiver {
  const { leave, died, restarted } = commands;
  // Ctrl-C reaches the whole foreground process group; the launcher handles it, also while this node starts.
  process.on('SIGINT', () => {});
  return openNodeReceiver({
    channel: process,
    accept: (socket) => {
      const node = running();
      if (node) node.accept(socket);
      else socket.destroy();
    },
    storeBusyMs: () => running()?.storeBusyMs() ?? 0,
    drain: leave,
    died,
    restarted,
    orphaned: leave,
  });
}

async function reportFault(receiver: NodeReceiver | null, error: unknown): Promise<void> {
  if (!receiver) return;
  const late = new Promise<void>((resolve) => void systemClock.after(FAULT_MS_MAX, resolve));
  await Promise.race([receiver.fault(lineOf(error)), late]);
}

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

function listenFrom(text: string): ListenAddress {
  const colon = text.lastIndexOf(':');
  const port = Number(text.slice(colon + 1));
  const host = text.slice(0, colon).replace(/^\[|\]$/g, '');
  if (isHost(host) && /^\d{1,5}$/.test(text.slice(colon + 1)) && port <= 65_535) return { host, port };
  throw new ConfigError(`--listen ${text} is not an address; write host:port, such as 0.0.0.0:8080`);
}
