/**
 * Sign-in of operators by OpenID Connect: the authorization code flow with PKCE, state and nonce. What the browser must
 * bring back is in a signed cookie, so that any node can end what another began.
 */
import { isLoopback } from '../../../actors/runtime/index.ts';
import type { OidcConfig, OperatorConfig } from '../../terms/config/operator-config.ts';
import { readKeyFile } from '../config/key-file.ts';
import { OperatorFault, type Role } from './operator-route.ts';

/** Of one answer of the issuer, s. */
const ISSUER_S = 5;
export const CALLBACK_PATH = '/api/session/callback';

interface OidcParts extends Pick<OidcConfig, 'issuer' | 'clientId' | 'origin' | 'claim' | 'operators' | 'viewers'> {
  readonly secret: () => Promise<string>;
}

/** What a sign-in began with. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type Claims = Readonly<Record<string, unknown>>;

interface Person {
  readonly role: Role;
  readonly name: string;
}

/** The sign-in of a configuration with absolute paths; null without one. */
export function openOidc({ oidc }: OperatorConfig): Oidc | null {
  if (oidc === null) return null;
  const { clientSecretFile, ...parts } = oidc;
  const secret = async () => (await readKeyFile(clientSecretFile, 'operator.oidc.clientSecretFile')).key;
  return new Oidc({ ...parts, secret });
}

export class Oidc {
  readonly #parts: OidcParts;

  constructor(parts: OidcParts) {
    this.#parts = parts;
  }

  /** Browsers reach this port over TLS. */
  get isTls(): boolean {
    return this.#parts.origin.startsWith('https:');
  }

  /** The address of the issuer to which the browser goes. */
  async begin(): Promise<{ readonly url: string; readonly attempt: Attempt }> {
    const library = await import('openid-client');
    const attempt = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      verifier: library.randomPKCECodeVerifier(),
    };
    const url = library.buildAuthorizationUrl(await this.#discover(), {
      redirect_uri: this.#parts.origin + CALLBACK_PATH,
      scope: 'openid email profile',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, attempt };
  }

  /** The person whom the issuer sent back with this query. Throws 403, and 503 where the issuer does not answer. */
  async end(query: URLSearchParams, { state, nonce, verifier }: Attempt): Promise<Person> {
    const { authorizationCodeGrant } = await import('openid-client');
    const issuer = await this.#discover();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    const url = new URL(`${this.#parts.origin}${CALLBACK_PATH}?${query}`);
    const tokens = await authorizationCodeGrant(issuer, url, checks).catch((error: Error) => {
      throw new OperatorFault(403, 'forbidden', `the issuer's answer is refused: ${error.message}`);
    });
    return this.#personOf(tokens.claims() ?? {});
  }

  #personOf(claims: Claims): Person {
    const { claim, operators, viewers } = this.#parts;
    const groups = claim === 'email' ? [addressIn(claims)] : [claims[claim]].flat();
    const role = groups.some(isOneOf(operators)) ? 'operator' : groups.some(isOneOf(viewers)) ? 'viewer' : null;
    const name = nameIn(claims);
    if (role === null) throw new OperatorFault(403, 'forbidden', `${name} has no group that may sign in here`);
    return { role, name };
  }

  async #discover() {
    const { issuer, clientId, secret } = this.#parts;
    const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await import('openid-client');
    const address = new URL(issuer);
    const plain = address.protocol === 'http:' && isLoopback(address.hostname) ? [allowInsecureRequests] : [];
    // Without it the library trusts the TLS of the token's endpoint, and verifies no signature.
    const execute = [...plain, enableNonRepudiationChecks];
    return discovery(address, clientId, await secret(), undefined, { timeout: ISSUER_S, execute }).catch(
      (error: Error) => {
        throw new OperatorFault(503, 'unavailable', `the issuer ${issuer} does not answer: ${error.message}`);
      },
    );
  }
}

/** For the audit log. */
function nameIn(claims: Claims): string {
  return String(addressIn(claims) ?? claims.preferred_username ?? claims.sub);
}

/** At some issuers a person sets any address, so one that is not said to be verified is nobody's. */
function addressIn({ email, email_verified: isVerified }: Claims): unknown {
  return isVerified === true ? email : undefined;
}

function isOneOf(names: readonly string[]): (group: unknown) => boolean {
  return (group) => typeof group === 'string' && names.includes(group);
}
