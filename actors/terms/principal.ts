import type { Json } from '../runtime/index.ts';
import { plain } from './chart-tools.ts';

/** The cause of a change: recorded with it in the audit log of its account. */
export interface Principal {
  /**
   * - `operator`: a command of `troupe` or the operator's console; `id` names the person where one is known.
   * - `key`: a management key; `id` is its address.
   * - `session`: a person who signed in; `id` is the session's address.
   * - `system`: the product itself; `id` names the part.
   */
  readonly kind: 'operator' | 'key' | 'session' | 'system';
  readonly id: string;
  /** The client address of the request; absent where there is none. */
  readonly address?: string;
}

/** The member of an event that an account sends without one and an operator with one. */
export function byMember(by: Principal | undefined): { readonly by?: Json } {
  return by === undefined ? {} : { by: plain(by) };
}

/**
 * What a key may do.
 *
 * - `inference`: sends requests, which its account pays for, and reads what they cost.
 * - `management`: manages the keys, workspaces and settings of its account, and spends nothing.
 * - `provider`: reads and reports for the provider that its account belongs to, and spends nothing.
 */
export type KeyKind = 'inference' | 'management' | 'provider';
