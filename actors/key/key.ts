/**
 * The key kind and its client functions. Arguments are addresses and results are plain data; refusals are results, not
 * errors.
 */
import type { ActorEvent, Cluster, Json, Kind } from '../runtime/index.ts';
import { ask, plain } from '../terms/chart-tools.ts';
import { FEED_EVENTS, feedEventCollection } from '../terms/feed-event.ts';
import { allBut } from '../terms/history.ts';
import type { Admission, HoldRequest } from '../terms/hold.ts';
import type { Principal } from '../terms/principal.ts';
import type { RefusedAnswer } from '../terms/refusal.ts';
import type { KeyEdit, NewKey } from './changes.ts';
import { credentialCollection } from './credential.ts';
import { keyMachine } from './key.machine.ts';
import type { KeyState } from './key-state.ts';
import { explainKey, type KeyView } from './statement.ts';
import { keyRows, USAGE, usageCollection } from './usage.ts';

export const keyKind: Kind = {
  name: 'key',
  machine: keyMachine,
  version: 1,
  creates: ['key.create'],
  finishes: ['spend.record', 'hold.closed', 'key.revoke', 'key.disable'],
  volatile: ['turn.admit', 'turn.raise', 'key.count', 'key.show', 'hold.refused'],
  collections: { credential: credentialCollection, [FEED_EVENTS]: feedEventCollection, [USAGE]: usageCollection },
  rows: keyRows,
  history: allBut(['spend.record', 'hold.closed']),
  explain: explainKey,
  redact: (context: Json) => plain({ ...(context as unknown as KeyState), digest: 'redacted' }),
};

/** The kind with another retention of the rows of activity; null keeps them for ever. */
export function keyKindKeeping(activityMs: number | null): Kind {
  const usage = { ...usageCollection, retentionMs: activityMs };
  return { ...keyKind, collections: { ...keyKind.collections, [USAGE]: usage } };
}

interface KeyCreated {
  readonly key: string;
  readonly label: string;
  /** False for a repeat. */
  readonly created: boolean;
}

type Counted = { readonly counted: true } | RefusedAnswer;

/** `key` is an address, here and below. Throws, and creates nothing, when the account does not exist. */
export function createKey(cluster: Cluster, key: string, made: NewKey, withinMs: number): Promise<KeyCreated> {
  const create = { type: 'key.create', ...made, by: plain(made.by) };
  return ask(cluster, key, create, withinMs);
}

interface AdmitOptions {
  /** Configured bound on requests per minute. */
  readonly perMinute: number;
  readonly withinMs: number;
}

/**
 * Counts the request, checks the key and holds the money: rate (429), credential (401), kind (403), limits (402).
 * Returns the ask's promise itself without an async wrapper, because every request passes here.
 */
export function admit(
  cluster: Pick<Cluster, 'ask'>,
  key: string,
  request: HoldRequest,
  { perMinute, withinMs }: AdmitOptions,
): Promise<Admission> {
  const event = { type: 'turn.admit', request: plain(request), perMinute };
  return cluster.ask(key, event, { withinMs, repeat: markRepeat }) as Promise<unknown> as Promise<Admission>;
}

/** The event for a second delivery: a recorded admission is returned; without one, the request is admitted now. */
function markRepeat(event: ActorEvent): ActorEvent {
  return { ...event, request: { ...(event.request as object), repeat: true } };
}

/** Moves the hold to another endpoint in one step: `request.attempt` is higher, the amount may be higher or lower. */
export function raise(
  cluster: Pick<Cluster, 'ask'>,
  key: string,
  request: HoldRequest,
  withinMs: number,
): Promise<Admission> {
  return ask(cluster, key, { type: 'turn.raise', request: plain(request) }, withinMs);
}

/** Counts a request that spends nothing. Refused: 429, 401. */
export function countRequest(cluster: Cluster, key: string, { perMinute, withinMs }: AdmitOptions): Promise<Counted> {
  return ask(cluster, key, { type: 'key.count', perMinute }, withinMs);
}

export function showKey(cluster: Pick<Cluster, 'ask'>, key: string, withinMs: number): Promise<KeyView> {
  return ask(cluster, key, { type: 'key.show' }, withinMs);
}

/** Revoked keys stay revoked; every change returns the key's state after it. */
export function changeKey(
  cluster: Cluster,
  key: string,
  change: 'disable' | 'enable' | 'revoke',
  withinMs: number,
  by: Principal,
): Promise<KeyView> {
  const event = { type: `key.${change}`, by: plain(by) };
  return ask(cluster, key, event, withinMs);
}

/** Changes what `edit` names, in one step. Throws, and changes nothing, for a member whom its workspace does not know. */
export function editKey(
  cluster: Cluster,
  key: string,
  edit: KeyEdit,
  { by, withinMs }: ChangeOptions,
): Promise<KeyView> {
  const event = { type: 'key.edit', edit: plain(edit), by: plain(by) };
  return ask(cluster, key, event, withinMs);
}

/** Moves a key to another workspace, null for the default one. Throws where there is none, or not its member. */
export function moveKey(
  cluster: Cluster,
  key: string,
  workspace: string | null,
  { by, withinMs }: ChangeOptions,
): Promise<KeyView> {
  const event = { type: 'key.move', workspace, by: plain(by) };
  return ask(cluster, key, event, withinMs);
}

interface ChangeOptions {
  readonly by: Principal;
  readonly withinMs: number;
}
