/**
 * What a key may do.
 *
 * - `inference`: sends requests, which its account pays for, and reads what they cost.
 * - `management`: manages the keys, workspaces and settings of its account, and spends nothing.
 * - `provider`: reads and reports for the provider that its account belongs to, and spends nothing.
 */
export type KeyKind = 'inference' | 'management' | 'provider';
