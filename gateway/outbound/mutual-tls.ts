/**
 * TLS with the certificates of a cluster: a certificate counts by the names that it bears and by its authority. The dialled
 * address proves nothing and is not checked.
 */
import { X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import type { Identity } from '../../actors/runtime/index.ts';

export interface ClusterTls extends Identity {
  /** The other end must bear one of them. */
  readonly names: readonly string[];
}

const VERSION_MIN = 'TLSv1.2';

/** The identity as one end of a connection presents it. */
export function presented({ ca, certificate, key }: Identity) {
  return { ca, cert: certificate, key, minVersion: VERSION_MIN } as const;
}

/** How a client connects. */
export function dialled(tls: ClusterTls) {
  return {
    ...presented(tls),
    checkServerIdentity: (_host: string, shown: PeerCertificate) =>
      bearsAny(shown, tls.names) ? undefined : new Error('its certificate names no node of this cluster'),
  };
}

/** True when one of the names is literally among the certificate's subject alternative names. */
export function bearsAny(certificate: Partial<PeerCertificate>, names: readonly string[]): boolean {
  if (!certificate.raw) return false;
  const own = new X509Certificate(certificate.raw);
  const options = { subject: 'never', wildcards: false, partialWildcards: false } as const;
  return names.some((name) => own.checkHost(name, options) !== undefined);
}
