/**
 * Mutual TLS between nodes: both ends present a certificate of the cluster's own authority, and the node's name must be
 * among its subject alternative names. The dialled address proves nothing and is not checked.
 */
import { X509Certificate } from 'node:crypto';
import { createSecureContext, type PeerCertificate } from 'node:tls';
import {
  type ChannelCredentials,
  credentials,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  status,
} from '@grpc/grpc-js';
import type { Identity } from '../../ports/transport.ts';

export interface Tls extends Identity {
  /** The names of the cluster's nodes: a certificate without one of them opens no link. */
  readonly names: readonly string[];
}

const VERSION_MIN = 'TLSv1.2';
/** Sent as the server name, which must not be an IP address; it is compared with nothing. */
export const SERVER_NAME = { 'grpc.ssl_target_name_override': 'troupe' };

/** The same as `createSsl(root, pair, true)`, with an explicit minimum version. */
class MutualTls extends ServerCredentials {
  constructor({ ca, certificate, key }: Identity) {
    super({ requestCert: true, rejectUnauthorized: true, minVersion: VERSION_MIN }, { ca, cert: certificate, key });
  }
  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

export function serverCredentials(tls: Tls | undefined): ServerCredentials {
  return tls ? new MutualTls(tls) : ServerCredentials.createInsecure();
}

export function channelCredentials(tls: Tls | undefined): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  const { ca, certificate, key, names } = tls;
  const context = createSecureContext({ ca, cert: certificate, key, minVersion: VERSION_MIN });
  return credentials.createFromSecureContext(context, {
    checkServerIdentity: (_host, shown) =>
      names.some((name) => bears(shown, name)) ? undefined : new Error('its certificate names no node of this cluster'),
  });
}

/** True when the name is literally among the certificate's subject alternative names. */
export function bears(certificate: PeerCertificate | undefined, name: string): boolean {
  if (!certificate?.raw) return false;
  const options = { subject: 'never', wildcards: false, partialWildcards: false } as const;
  return new X509Certificate(certificate.raw).checkHost(name, options) !== undefined;
}

/** Restricts calls by certificate: links are for nodes. */
export function allowList({ names }: Tls): ServerInterceptor {
  return (method, call) => {
    const shown = call.getAuthContext().sslPeerCertificate;
    if (names.some((name) => bears(shown, name))) return new ServerInterceptingCall(call);
    return new ServerInterceptingCall(call, {
      start: () =>
        call.sendStatus({ code: status.PERMISSION_DENIED, details: `this certificate may not call ${method.path}` }),
    });
  };
}
