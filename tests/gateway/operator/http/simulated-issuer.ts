/** An issuer of OpenID Connect: everybody who comes is signed in at once as the person that the test names. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export const CLIENT = { id: 'troupe', secret: 'issuer-secret' };

/** What goes wrong at the issuer. */
type Fault = 'nonce' | 'audience' | 'key' | null;

export interface SimulatedIssuer {
  readonly url: string;
  claims: Readonly<Record<string, unknown>>;
  fault: Fault;
  close(): void;
}

interface Asked {
  readonly nonce: string;
  readonly challenge: string;
}

export async function openIssuer(): Promise<SimulatedIssuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const other = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const codes = new Map<string, Asked>();
  const state = { url: '', claims: {}, fault: null as Fault };

  const metadata = () => ({
    issuer: state.url,
    authorization_endpoint: `${state.url}/authorize`,
    token_endpoint: `${state.url}/token`,
    jwks_uri: `${state.url}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  });

  const token = async (request: IncomingMessage): Promise<object | null> => {
    const form = new URLSearchParams(await textOf(request));
    const code = form.get('code') ?? '';
    const asked = codes.get(code);
    codes.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (asked?.challenge !== challenge || form.get('client_secret') !== CLIENT.secret) return null;
    const idToken = await new SignJWT({ ...state.claims, nonce: state.fault === 'nonce' ? 'x' : asked.nonce })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(state.url)
      .setAudience(state.fault === 'audience' ? 'another' : CLIENT.id)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(state.fault === 'key' ? other.privateKey : privateKey);
    return { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: idToken };
  };

  const server: Server = createServer(async (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', state.url);
    const json = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (pathname === '/.well-known/openid-configuration') return json(200, metadata());
    if (pathname === '/keys') return json(200, { keys: [jwk] });
    if (pathname === '/token') {
      const answer = await token(request);
      return answer === null ? json(400, { error: 'invalid_grant' }) : json(200, answer);
    }
    const code = `code-${codes.size + 1}-${query.get('state')}`;
    codes.set(code, { nonce: query.get('nonce') ?? '', challenge: query.get('code_challenge') ?? '' });
    const back = new URL(query.get('redirect_uri') as string);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
