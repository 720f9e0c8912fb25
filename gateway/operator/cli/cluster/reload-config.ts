/**
 * `troupe reload-config`: shows what a configuration file changes of the one that runs, and rolls the nodes over to it.
 * A file with a fault, or with a change that needs a stop, is refused before a node is touched.
 */
import { join, resolve } from 'node:path';
import { systemClock } from '../../../../actors/runtime/index.ts';
import defaults from '../../../../cluster.config.ts';
import type { ClusterConfig } from '../../../terms/config/config.ts';
import { type Difference, differencesOf, fixedChanges, shownConfig } from '../../config/config-difference.ts';
import { ConfigError } from '../../config/config-error.ts';
import { launcherOf } from '../../launcher/data-folder.ts';
import { isSimulated, rememberStart, usesSimulators } from '../../launcher/last-start.ts';
import { writeWhole } from '../../launcher/private-files.ts';
import { withOperator } from '../frame/asking.ts';
import { type GlobalOptions, local } from '../frame/command.ts';
import { configOf, findCluster } from '../frame/find-cluster.ts';
import { count, reasonFrom } from '../frame/names.ts';
import type { OperatorPort, OperatorReply } from '../frame/operator-port.ts';
import { table } from '../frame/print.ts';
import { type RolledNode, rollNodes } from './roll-nodes.ts';

const BACK_SECONDS = 120;
/** Beside the longest grace of the running configuration. */
const DRAIN_SLACK_MS = 60_000;
const SHOWN_CHARACTERS_MAX = 80;
/** Bounds of an entry in the audit log; together below `AUDIT_DETAIL_MAX`. */
const RECORDED_MEMBERS_MAX = 32;
const RECORDED_CHARACTERS_MAX = 80;

export const commands = [
  local(
    'reload-config',
    'show what --config FILE changes of the running configuration, and restart the nodes with it one by one',
    {
      options: {
        '--yes': 'roll the nodes; without it the difference is shown and nothing changes',
        '--wait <seconds>': count(
          `how long a node may need to serve again (default: ${BACK_SECONDS})`,
          'number of seconds',
        ),
        '--reason <text>': { meaning: 'why, for the record; required with --yes', parse: reasonFrom },
      },
      run: ({ yes, wait, reason, ...options }) =>
        reload(options, yes === true ? requireReason(reason) : null, 1_000 * (wait ?? BACK_SECONDS)),
      json: ({ differences, rolled }) => ({ differences, rolled }),
      print: ({ text }) => text,
    },
  ),
];

/** The changed members, the nodes that were restarted, and both in words. */
interface Reload {
  readonly differences: readonly Difference[];
  readonly rolled: readonly string[];
  readonly text: string;
}

function requireReason(reason: string | undefined): string {
  if (reason !== undefined) return reason;
  throw new ConfigError('say why the nodes are restarted, with --reason "..."');
}

/** `reason`: null shows the difference, and changes nothing. */
async function reload(options: GlobalOptions, reason: string | null, backMs: number): Promise<Reload> {
  const { config: file } = options;
  if (file === undefined) throw new ConfigError('name the new configuration with --config FILE');
  const loaded = await configOf(options);
  const [found, { OperatorPort: Port }] = [await findCluster(options), await import('../frame/operator-port.ts')];
  const port = await Port.open(found);
  try {
    const nodes = new NodesOfCluster(options, port);
    const running = await nodes.running();
    // As a node tells it: members without a value are absent.
    const next = JSON.parse(JSON.stringify(nextConfig(loaded, running.config))) as ClusterConfig;
    const differences = differencesOf(running.config, shownConfig(next));
    const stale = await nodes.unlike(next);
    const fixed = fixedChanges(differences);
    if (fixed.length > 0) throw new ConfigError(`${fixed.join('; ')}. Stop the cluster and start it with ${file}`);
    await nodes.check(next);
    if (stale.length === 0) return { differences, rolled: [], text: `nothing to change: every node runs with ${file}` };
    if (reason === null) return { differences, rolled: [], text: `${shown(differences)}\n\n${howToGoOn(stale)}` };
    if (!options.json) process.stdout.write(`${shown(differences)}\n\n`);
    await record(options, { differences, nodes: stale, reason });
    await hand(next, resolve(file));
    const rolled = await rollNodes(
      next.nodes.map(({ name }) => name),
      {
        clock: systemClock,
        backMs,
        drainMs: drainMsOf(running.config),
        look: (name) => nodes.look(name),
        drain: (name) => drain(options, name, reason),
        isNew: (config) => differencesOf(config, shownConfig(next)).length === 0,
        report: (line) => void process.stderr.write(`troupe: ${line}\n`),
      },
    );
    return { differences, rolled, text: `${rolled.length} of ${next.nodes.length} nodes were restarted` };
  } finally {
    await port.close();
  }
}

/** The nodes of a cluster at their operator ports; their addresses are looked up anew for each call. */
class NodesOfCluster {
  readonly #options: GlobalOptions;
  readonly #port: OperatorPort;

  constructor(options: GlobalOptions, port: OperatorPort) {
    this.#options = options;
    this.#port = port;
  }

  async look(name: string): Promise<RolledNode | null> {
    const url = (await this.#urls()).get(name);
    if (url === undefined) return null;
    const reply = await this.#port.call(url, { method: 'GET', path: '/api/config' });
    return reply?.status === 200 ? (JSON.parse(reply.text) as RolledNode) : null;
  }

  /** The first that answers. @throws ConfigError if none does */
  async running(): Promise<RolledNode & { readonly config: ClusterConfig }> {
    for (const name of (await this.#urls()).keys()) {
      const seen = await this.look(name);
      if (seen !== null) return seen as RolledNode & { readonly config: ClusterConfig };
    }
    throw new ConfigError('no node of this cluster answers now; see `troupe ps` and `troupe logs`');
  }

  /** The nodes that run with another configuration, or do not answer. */
  async unlike(next: ClusterConfig): Promise<readonly string[]> {
    const stale: string[] = [];
    for (const { name } of next.nodes) {
      const seen = await this.look(name);
      if (seen === null || differencesOf(seen.config, shownConfig(next)).length > 0) stale.push(name);
    }
    return stale;
  }

  /** Each node knows its own variables and files. @throws ConfigError */
  async check(next: ClusterConfig): Promise<void> {
    for (const [name, url] of await this.#urls()) {
      const body = JSON.stringify({ config: next });
      const reply = await this.#port.call(url, { method: 'POST', path: '/api/config/check', body });
      if (reply === null) continue;
      const why = faultIn(reply);
      if (why !== null) throw new ConfigError(`node ${name} cannot run with it: ${why}`);
    }
  }

  async #urls(): Promise<ReadonlyMap<string, string>> {
    // A stopped launcher, or one between two nodes, leaves no address for a moment.
    const found = await findCluster(this.#options).catch(() => null);
    return new Map((found?.nodes ?? []).map(({ name, operatorUrl }) => [name, operatorUrl]));
  }
}

/** The file's configuration as the launcher would hand it to its nodes. @throws ConfigError */
function nextConfig(loaded: ClusterConfig, running: ClusterConfig): ClusterConfig {
  // `up --port` is not in the file.
  const { host, port } = defaults.listen;
  const isUsual = loaded.listen.host === host && loaded.listen.port === port;
  const next = isUsual ? { ...loaded, listen: running.listen } : loaded;
  const isDemo = running.providers.length > 0 && running.providers.every(isSimulated);
  if (!isDemo && usesSimulators(next) && running.providers.length > 0) {
    throw new ConfigError(
      'the file declares no provider, and the cluster runs with real ones; declare them in the file',
    );
  }
  if (!isDemo) return next;
  if (!usesSimulators(next)) {
    throw new ConfigError(
      'the cluster runs with simulated providers; stop it, and start it with the file for real ones',
    );
  }
  const { x402 } = running.deposits;
  return {
    ...next,
    providers: running.providers,
    deposits: { ...(x402 === undefined ? {} : { x402 }), ...next.deposits },
  };
}

interface Recorded {
  readonly differences: readonly Difference[];
  readonly nodes: readonly string[];
  readonly reason: string;
}

/** An entry in the operator's audit log: names of members, never their values. */
async function record(options: GlobalOptions, { differences, nodes, reason }: Recorded): Promise<void> {
  const members = differences
    .slice(0, RECORDED_MEMBERS_MAX)
    .map(({ member }) => member.slice(0, RECORDED_CHARACTERS_MAX));
  const body = { members, changed: differences.length, nodes: nodes.slice(0, RECORDED_MEMBERS_MAX), reason };
  await withOperator(options, (api) => api.post('/api/config/reload', body));
}

async function drain(options: GlobalOptions, node: string, reason: string): Promise<void> {
  await withOperator(options, (api) => api.post(`/api/nodes/${encodeURIComponent(node)}/drain`, { reason }));
}

/** Why the node cannot run with a configuration; null if it can. */
function faultIn({ status, text }: OperatorReply): string | null {
  const answer = JSON.parse(text) as { readonly fault: string | null; readonly error?: { readonly message: string } };
  return status === 200 ? answer.fault : (answer.error?.message ?? `it answered ${status}`);
}

/** A launcher starts its nodes with its own copy of the configuration; any other supervisor with the file itself. */
async function hand(next: ClusterConfig, file: string): Promise<void> {
  if ((await launcherOf(next.data)) === null) return;
  await rememberStart(next.data, file, next);
  await writeWhole(join(next.data, 'cluster.json'), `${JSON.stringify(next, null, 2)}\n`);
}

function drainMsOf({ edge, activities, renders }: ClusterConfig): number {
  return Math.max(edge.drainGraceMs, activities.graceMs, renders.drainMs) + DRAIN_SLACK_MS;
}

function shown(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'this node runs with the file already; others do not';
  const rows = differences.map(({ member, from, to }) => [member, textOf(from), textOf(to)]);
  return table(['MEMBER', 'RUNNING', 'FILE'], rows);
}

function textOf(value: unknown): string {
  if (value === null) return 'absent';
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}...` : text;
}

function howToGoOn(stale: readonly string[]): string {
  return `nothing was changed; --yes restarts ${stale.join(', ')} one after another`;
}
