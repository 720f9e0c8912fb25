import type { Authentication } from '../../edge/auth/authentication.ts';
import type { ClientAddresses } from '../../http/client-addresses.ts';

/** What a sign-in takes of its node. */
export interface SignInParts {
  readonly authentication: Pick<Authentication, 'enter' | 'count'>;
  readonly clients: ClientAddresses;
}

/** The result of a sign-in: the secret of a new session, or the reason of its refusal. */
export type Opened = { readonly secret: string } | { readonly problem: string };
