import type { EndpointTarget } from '../../../../actors/terms/endpoint.ts';
import type { CredentialForm } from '../../../../actors/terms/wire.ts';
import { type Credentials, type KeyForm, keyHeaders } from '../../../outbound/credentials.ts';
import type { Adapter } from '../../adapter.ts';
import { awsSignature } from './aws-signature.ts';
import { googleServiceAccount } from './google-service-account.ts';

type Signer = Exclude<Credentials, readonly string[]>;

/** What authenticates each call anew, from the operator's secret. */
const SIGNERS: Readonly<Record<Exclude<CredentialForm, KeyForm>, (secret: string) => Signer>> = {
  'aws-signature': awsSignature,
  'google-service-account': googleServiceAccount,
};

/**
 * The headers that calls to a target have beside the standard ones: what authenticates them, in the declared form or
 * else that of the wire, and the fixed headers of both. A declared header takes the place of the wire's.
 */
export function credentialsFor(
  { wire = {} }: Pick<EndpointTarget, 'wire'>,
  adapter: Pick<Adapter, 'credential' | 'headers'>,
  apiKey: string | null,
): Credentials {
  const form = wire.credential ?? adapter.credential;
  const fixed = Object.entries({ ...adapter.headers, ...lowered(wire.headers) }).flat();
  const signer = apiKey === null ? undefined : (SIGNERS as Readonly<Record<string, (secret: string) => Signer>>)[form];
  if (signer === undefined || apiKey === null) return fixed.concat(keyHeaders(form, apiKey));
  const sign = signer(apiKey);
  return async (call) => fixed.concat(await sign({ ...call, headers: call.headers.concat(fixed) }));
}

function lowered(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
