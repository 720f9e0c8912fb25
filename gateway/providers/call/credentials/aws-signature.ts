import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { type Credentials, keyHeaders } from '../../../outbound/credentials.ts';
import { ProviderFailure } from '../../provider-failure.ts';

type Signer = Exclude<Credentials, readonly string[]>;

const SERVICE = 'bedrock';
/** Where the address names no region. */
const REGION = 'us-east-1';
const REGION_IN_HOST = /\.([a-z]{2}(?:-[a-z]+)+-\d)\./;
/** A header that the connection may change on its way. */
const UNSIGNED: ReadonlySet<string> = new Set(['user-agent', 'accept-encoding', 'traceparent']);

interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Signature version 4 of each call, in the region that the host names. The secret is `ID:SECRET` or `ID:SECRET:TOKEN`,
 * or a JSON object as `aws configure export-credentials` prints it. Any other secret is an API key of the service, which
 * is sent as it is.
 */
export function awsSignature(secret: string): Signer {
  const credentials = accessKeyOf(secret);
  if (credentials === null) return async () => keyHeaders('bearer', secret);
  const signers = new Map<string, SignatureV4>();
  const signerOf = (region: string): SignatureV4 => {
    const known = signers.get(region);
    const signer = known ?? new SignatureV4({ credentials, region, service: SERVICE, sha256: Sha256 });
    if (known === undefined) signers.set(region, signer);
    return signer;
  };
  return async ({ method, url, headers, body, clock }) => {
    if (body !== null && typeof body !== 'string') {
      throw new ProviderFailure('misconfigured', 'an upload cannot be signed');
    }
    const { protocol, host, hostname } = new URL(url.origin);
    const [path = '', query = ''] = url.path.split('?');
    const request = {
      method,
      protocol,
      hostname,
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: { ...signable(headers), host },
      body: body ?? '',
    };
    const signed = await signerOf(REGION_IN_HOST.exec(hostname)?.[1] ?? REGION).sign(request, {
      signingDate: new Date(clock.now()),
    });
    return Object.entries(signed.headers).flatMap(([name, value]) => (name in request.headers ? [] : [name, value]));
  };
}

function signable(headers: readonly string[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] as string;
    if (!UNSIGNED.has(name)) pairs[name] = headers[at + 1] as string;
  }
  return pairs;
}

function accessKeyOf(secret: string): AccessKey | null {
  if (secret.startsWith('{')) {
    const { AccessKeyId: id, SecretAccessKey: key, SessionToken: token } = membersOf(secret);
    if (typeof id !== 'string' || typeof key !== 'string') throw malformed();
    const accessKey = { accessKeyId: id, secretAccessKey: key };
    return typeof token === 'string' && token !== '' ? { ...accessKey, sessionToken: token } : accessKey;
  }
  const [, id, key, token] = /^(A[A-Z0-9]{15,127}):([^:\s]+)(?::(\S+))?$/.exec(secret) ?? [];
  if (id === undefined || key === undefined) return null;
  return { accessKeyId: id, secretAccessKey: key, ...(token === undefined ? {} : { sessionToken: token }) };
}

/** The error of the parser would quote the secret. */
function membersOf(secret: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(secret);
  } catch {
    throw malformed();
  }
}

function malformed(): ProviderFailure {
  return new ProviderFailure('misconfigured', 'the secret begins as JSON and holds no access key');
}

/** The hash that the signer asks for, of Node. */
class Sha256 {
  readonly #secret: Uint8Array | string | undefined;
  #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = secret === undefined || typeof secret === 'string' ? secret : bytesOf(secret);
    this.#hash = this.#begun();
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === 'string' ? data : bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#begun();
  }

  #begun(): Hash | Hmac {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
