/**
 * The operator API of a running cluster, for commands: calls the first node that answers, and another one where that
 * leaves. Loads the HTTP client, so it is imported late.
 */
import { OutboundError } from '../../../outbound/outbound-error.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import type { FoundCluster, FoundNode } from './find-cluster.ts';
import { ANSWER_MS, type OperatorCall, OperatorPort, type OperatorReply } from './operator-port.ts';

/** A host that is down, or a process that is stopped, answers nothing at all; the next node is tried after this time. */
const REACH_MS_MAX = 3_000;
/** Entries of one page of a list. */
const PAGE_MAX = 200;

export type QueryMembers = Readonly<Record<string, string | number | boolean | undefined>>;

export interface EntryPage<Entry> {
  readonly data: readonly Entry[];
  readonly next: string | null;
}

/** What a change answers. */
export interface Changed {
  readonly did: string;
}

/** The node refused the call, in its words. */
export class OperatorRefusal extends ConfigError {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    [this.status, this.code] = [status, code];
  }
}

/** Every call throws ConfigError: with the words of a refusal, or naming the nodes that do not answer. */
export class OperatorApi {
  readonly found: FoundCluster;
  readonly #port: OperatorPort;
  /** Those that have not failed yet; the first is called. */
  #nodes: readonly FoundNode[];
  #isReached = false;

  private constructor(found: FoundCluster, port: OperatorPort) {
    [this.found, this.#port, this.#nodes] = [found, port, found.nodes];
  }

  static async open(found: FoundCluster): Promise<OperatorApi> {
    return new OperatorApi(found, await OperatorPort.open(found));
  }

  async get<T>(path: string, query: QueryMembers = {}, withinMs = ANSWER_MS): Promise<T> {
    return JSON.parse(await this.text(path, query, withinMs)) as T;
  }

  /** The answer as it was written: its numbers may have more digits than a number of JavaScript. */
  text(path: string, query: QueryMembers = {}, withinMs = ANSWER_MS): Promise<string> {
    const text = searchOf(query);
    return this.#call({ method: 'GET', path: text === '' ? path : `${path}?${text}` }, withinMs);
  }

  async post<T>(path: string, body: object, withinMs = ANSWER_MS): Promise<T> {
    return JSON.parse(await this.#call({ method: 'POST', path, body: JSON.stringify(body) }, withinMs)) as T;
  }

  /** The entries of a list, over as many pages as it takes; `limit` of them at most. */
  async list<Entry>(path: string, query: QueryMembers, limit: number): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for await (const page of this.pages<Entry>(path, { ...query, limit: Math.min(limit, PAGE_MAX) })) {
      found.push(...page);
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  /** The entries about one account. One without entries is asked for: an unknown one is an error. */
  async listOf<Entry>(
    path: string,
    account: string,
    limit: number,
    query: QueryMembers = {},
  ): Promise<readonly Entry[]> {
    const found = await this.list<Entry>(path, { ...query, account }, limit);
    if (found.length === 0 && account.startsWith('acct_')) await this.get(`/api/accounts/${account}`);
    return found;
  }

  /** Every page of a list. */
  async *pages<Entry>(path: string, query: QueryMembers): AsyncGenerator<readonly Entry[]> {
    for (let cursor: string | undefined, isMore = true; isMore; ) {
      const { data, next }: EntryPage<Entry> = await this.get(path, { ...query, cursor });
      yield data;
      cursor = next ?? undefined;
      isMore = next !== null;
    }
  }

  /** The node that answers, for a WebSocket. */
  async node(): Promise<FoundNode> {
    if (!this.#isReached) await this.#reach();
    return this.#nodes[0] as FoundNode;
  }

  /** The node has left: the next call goes to another one. */
  leave(node: FoundNode): void {
    this.#nodes = this.#nodes.filter((one) => one !== node);
    this.#isReached = false;
  }

  close(): Promise<void> {
    return this.#port.close();
  }

  async #call(call: OperatorCall, withinMs: number): Promise<string> {
    for (;;) {
      const node = await this.node();
      const reply = await this.#port.send(node.operatorUrl, call, withinMs).catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        if (call.method !== 'GET' && !error.failure.startsWith('connect')) throw isUnknown(node, error);
        return null;
      });
      if (reply !== null && reply.status === 200) return reply.text;
      const refusal = reply === null ? null : refusalIn(reply);
      // Nothing has happened there: the node starts, or has left.
      if (refusal !== null && refusal.code !== 'starting') throw this.#explained(refusal);
      this.leave(node);
    }
  }

  /** Leaves out the nodes that do not answer. */
  async #reach(): Promise<void> {
    let why = 'no node of this cluster serves now';
    for (const node of this.#nodes) {
      try {
        await this.#port.send(node.operatorUrl, { method: 'GET', path: '/health' }, REACH_MS_MAX);
        this.#isReached = true;
        return;
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        why = `no node answers at ${node.operatorUrl} (${lineOf(error)})`;
        this.leave(node);
      }
    }
    const others = this.found.nodes.slice(0, -1).map(({ operatorUrl }) => operatorUrl);
    const nor = others.length === 0 ? '' : `, nor at ${others}`;
    throw new ConfigError(`${why}${nor}; the folder is ${this.found.data}`);
  }

  #explained(refusal: OperatorRefusal): ConfigError {
    if (refusal.status !== 401) return refusal;
    const { data } = this.found;
    return new ConfigError(
      `${refusal.message}: the token of ${data} does not belong to this cluster; copy ${data}/secrets from one of its hosts`,
    );
  }
}

function searchOf(query: QueryMembers): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
}

/** A change is not repeated: it may have been made. */
function isUnknown({ name }: FoundNode, error: OutboundError): ConfigError {
  return new ConfigError(
    `node ${name} did not answer (${lineOf(error)}); the change may have been made: check before you repeat it`,
  );
}

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly member?: string | null;
}

/** An option has no path: what the API says of `key.name` is said of `name`. */
function asOption({ message, member }: Refused): string {
  const name = member?.split('.').at(-1);
  return member && name && message.startsWith(member) ? `${name}${message.slice(member.length)}` : message;
}

export function refusalIn({ status, text }: OperatorReply): OperatorRefusal {
  try {
    const { error } = JSON.parse(text) as { readonly error: Refused };
    return new OperatorRefusal(status, { code: error.code, message: asOption(error) });
  } catch {
    return new OperatorRefusal(status, { code: 'internal', message: `the node answered ${status}; see its log` });
  }
}
