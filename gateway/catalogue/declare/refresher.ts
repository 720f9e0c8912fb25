import { beginRefresh, endRefresh, reportProgress } from '../../../actors/provider/provider.ts';
import type { RefreshResult, RunningRefresh } from '../../../actors/provider/refreshes.ts';
import { AskError, type Cancel, type Clock, type Random } from '../../../actors/runtime/index.ts';
import { providerAddress, refreshId } from '../../../actors/terms/ids.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { type Declared, type DeclareParts, declareOne, type ReportDeclared } from './declare.ts';
import { WARNED } from './declare-until-listed.ts';

interface RefresherParts extends DeclareParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: { warn(record: object, message: string): void; error(record: object, message: string): void };
}

/**
 * Reads the models documents again: on an interval those of the providers whose actors live on this node, on command
 * any. An invalid or unreachable document changes only the status that its provider's actor reports.
 */
export class Refresher {
  readonly #parts: RefresherParts;
  /** The last logged problem, by provider: a document that stays invalid is logged once. */
  readonly #logged = new Map<string, string>();
  /** Digest of the last declared text, by provider: the interval skips unchanged documents. */
  readonly #known = new Map<string, string>();
  #timer: Cancel | null = null;
  #stopped = false;

  constructor(parts: RefresherParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = this.#parts.clock.after(this.#parts.upstream.documentEveryMs, () => void this.#run());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  /** One provider, or all; null when no provider has that slug. Throws if an actor cannot be reached. */
  async refresh(slug: string | null): Promise<readonly Declared[] | null> {
    const named = this.#parts.providers.filter((provider) => slug === null || provider.slug === slug);
    if (slug !== null && named.length === 0) return null;
    const declared: Declared[] = [];
    for (const provider of named) {
      const one = await this.#readOnCommand(provider);
      if (one) declared.push(one);
    }
    return declared;
  }

  /** The history lacks a reading that runs while another one does, and one whose actor did not answer its start. */
  async #readOnCommand(provider: ProviderDeclaration): Promise<Declared | null> {
    const begun = await this.#begin(provider.slug, 'operator').catch((error: unknown) => {
      if (error instanceof AskError) return null;
      throw error;
    });
    return begun?.begun ? this.#conduct(provider, begun.run) : this.#read(provider, null);
  }

  /**
   * Begins to read the document of one provider for itself, and resolves with the run, which may have begun before;
   * null when no provider has that slug. The provider's actor has its progress and its result.
   */
  async begin(slug: string): Promise<RunningRefresh | null> {
    const provider = this.#parts.providers.find((one) => one.slug === slug);
    if (provider === undefined) return null;
    const { run, begun, running } = await this.#begin(slug, 'provider');
    if (begun) {
      this.#conduct(provider, run).catch((error: unknown) => {
        this.#parts.log.warn({ provider: slug, detail: String(error) }, 'a models document could not be declared');
      });
    }
    return running;
  }

  async #begin(slug: string, by: RunningRefresh['by']): Promise<Begun> {
    const { cluster, random, upstream } = this.#parts;
    const run = refreshId(random);
    return { run, ...(await beginRefresh(cluster, slug, { run, by }, upstream.askMs)) };
  }

  /** Reads the document, and ends the run with the result, whatever happened. */
  async #conduct(provider: ProviderDeclaration, run: string): Promise<Declared | null> {
    const { cluster, upstream } = this.#parts;
    const { slug } = provider;
    reportProgress(cluster, slug, { run, phase: 'reading', declared: 0, total: null });
    const progress = (declared: number, total: number): void =>
      reportProgress(cluster, slug, { run, phase: 'declaring', declared, total });
    try {
      const declared = await this.#read(provider, null, progress);
      await endRefresh(cluster, slug, { run, ...resultOf(declared) }, upstream.askMs);
      return declared;
    } catch (error) {
      await endRefresh(cluster, slug, { run, ...FAILED }, upstream.askMs).catch(() => {});
      throw error;
    }
  }

  /** One round over the providers of this node. */
  async round(): Promise<void> {
    for (const provider of this.#parts.providers) {
      const own = this.#parts.cluster.owns(providerAddress(provider.slug));
      // A document in the config cannot change while the node runs.
      if (this.#stopped || !own || typeof provider.models !== 'string') continue;
      try {
        await this.#read(provider, this.#known.get(provider.slug) ?? null);
      } catch (error) {
        this.#parts.log.warn(
          { provider: provider.slug, detail: String(error) },
          'a models document could not be declared',
        );
      }
    }
  }

  async #run(): Promise<void> {
    await this.round();
    if (!this.#stopped) this.start();
  }

  async #read(
    provider: ProviderDeclaration,
    known: string | null,
    progress?: ReportDeclared,
  ): Promise<Declared | null> {
    const declared = await declareOne(this.#parts, provider, known, progress);
    if (declared === null) return null;
    const { problem, digest, warnings } = declared;
    if (warnings.length > 0) this.#parts.log.warn({ provider: provider.slug, warnings }, WARNED);
    if (digest === null) this.#known.delete(provider.slug);
    else this.#known.set(provider.slug, digest);
    if (problem === null) this.#logged.delete(provider.slug);
    else if (this.#logged.get(provider.slug) !== problem) {
      this.#logged.set(provider.slug, problem);
      this.#parts.log.error(
        { provider: provider.slug, problem },
        'a models document is invalid; the previous one stays in effect',
      );
    }
    return declared;
  }
}

interface Begun {
  readonly run: string;
  readonly begun: boolean;
  readonly running: RunningRefresh;
}

const FAILED: RefreshResult = { result: 'failed', endpoints: 0, changes: 0, faults: [], warnings: [] };

function resultOf(declared: Declared | null): RefreshResult {
  if (declared === null) return FAILED;
  const { endpoints, changes, problem, faults, warnings } = declared;
  const result = problem === null ? 'declared' : 'invalid';
  return {
    result,
    endpoints: endpoints.length,
    changes,
    faults: faults.length > 0 || problem === null ? faults : [problem],
    warnings,
  };
}
