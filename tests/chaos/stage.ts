import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import config from '../../cluster.config.ts';
import type { Call } from '../../gateway/simulator/calls/call-log.ts';
import type { StoreView } from '../support/auditor/store-view.ts';
import { LaunchedCluster } from '../support/cluster/launched-cluster.ts';
import { FaultInjector } from '../support/faults/fault-injector.ts';
import { BusyLoops } from './busy-loops.ts';
import { openChaosStore, type StoreKind } from './chaos-store.ts';
import { CrashPoints } from './crash-points.ts';
import { FacilitatorProcess } from './facilitator.ts';
import { Links } from './links.ts';
import { Providers } from './providers.ts';

interface StageOptions {
  /** Part of the name of the run's folder. */
  readonly name: string;
  readonly store: StoreKind;
  /** Slugs of the simulated providers; absent: those of chats. */
  readonly providers?: readonly string[];
  /** The nodes connect through links that can be cut. */
  readonly isCut?: boolean;
  /** Faults of the store and of the clock can be injected into the nodes. */
  readonly isInjected?: boolean;
  /** A facilitator runs beside the cluster, which takes payments by x402. */
  readonly isPaid?: boolean;
  /** Processes that use all the processor time they get, from before the first start to the end; absent: none. */
  readonly busy?: number | undefined;
  /** Merged over the configuration of every run. */
  readonly overlay?: object;
  /** Arms crash points of the first processes of the nodes. */
  readonly before?: (crashPoints: CrashPoints) => void;
  /** Told where the data folder, the provider logs and the history are, which then stay. */
  readonly keep?: ((where: string) => void) | undefined;
}

/** What a run is made of: the cluster's processes, those beside it, and the ways to harm them. */
export interface Stage {
  readonly folder: string;
  readonly cluster: LaunchedCluster;
  readonly view: StoreView;
  readonly providers: Providers;
  readonly crashPoints: CrashPoints;
  readonly injector: FaultInjector;
  /** Null in a run without cuts: nodes then connect directly. */
  readonly links: Links | null;
  /** Null in a run without payments. */
  readonly facilitator: FacilitatorProcess | null;
  /** Drains the cluster and stops the providers; returns every call that they received. */
  drained(): Promise<readonly Call[]>;
}

const UNLIMITED = 1_000_000_000;

/** Runs `play` beside a cluster of real processes that starts in an empty folder; removes everything at the end. */
export async function onStage<T>(options: StageOptions, play: (stage: Stage) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `troupe-${options.name}-`));
  const closing: (() => unknown)[] = [];
  const opened = <O>(made: O, close: (made: O) => unknown): O => {
    closing.unshift(() => close(made));
    return made;
  };
  try {
    const providers = opened(await Providers.start(folder, options.providers), (made) => made.stop());
    const store = opened(await openChaosStore(options.store), (made) => made.close());
    const crashPoints = opened(new CrashPoints(), (made) => made.close());
    const injector = opened(new FaultInjector(), (made) => made.close());
    const links = options.isCut ? opened(await Links.open(config.nodes), (made) => made.close()) : null;
    const facilitator = options.isPaid ? opened(await FacilitatorProcess.start(folder), (made) => made.stop()) : null;
    options.before?.(crashPoints);
    if (options.busy) opened(BusyLoops.start(options.busy), (made) => made.stop());
    const beside = { ...facilitator?.overlay, ...links?.overlay, store: store.config };
    const overlay = { ...everyRun(providers), ...beside, ...options.overlay };
    const injected = options.isInjected ? injectedEnv(crashPoints, injector) : crashPoints.env;
    const env = { ...injected, ...links?.env, ...facilitator?.env };
    const cluster = opened(await LaunchedCluster.start(overlay, { env }), (made) =>
      made.stop(options.keep !== undefined),
    );
    const view = store.view(cluster.data);
    options.keep?.(`${folder} and ${cluster.data}`);
    const drained = async (): Promise<readonly Call[]> => {
      const code = await cluster.stop(true);
      if (code !== 0) throw new Error(`the launcher drained and ended with ${code}: ${cluster.output.slice(-1_000)}`);
      return providers.stop();
    };
    return await play({ folder, cluster, view, providers, crashPoints, injector, links, facilitator, drained });
  } finally {
    for (const close of closing) await close();
    if (options.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function everyRun(providers: Providers): object {
  return {
    rates: { keyPerMinute: UNLIMITED, endpointPerMinute: UNLIMITED, addressPerMinute: UNLIMITED },
    demo: { enabled: false, simulators: 0 },
    providers: providers.declarations,
  };
}

function injectedEnv(crashPoints: CrashPoints, injector: FaultInjector): Record<string, string> {
  const preloads = `${crashPoints.env.NODE_OPTIONS} ${injector.env.NODE_OPTIONS}`;
  return { ...crashPoints.env, ...injector.env, NODE_OPTIONS: preloads };
}
