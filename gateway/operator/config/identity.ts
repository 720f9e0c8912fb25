/**
 * Reads and checks a node's certificate, key and authority at start: a certificate that peers would refuse is one clear
 * error line at start instead of a node without links.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Identity } from '../../../actors/runtime/index.ts';
import type { ClusterConfig, NodeConfig, TlsConfig } from '../../terms/config/config.ts';
import { ConfigError, lineOf } from './config-error.ts';

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const CHAIN_MAX = 8;
/** Extended key usages that a node needs if its certificate restricts them: a node is server and client. */
const USES = { '1.3.6.1.5.5.7.3.1': 'serverAuth', '1.3.6.1.5.5.7.3.2': 'clientAuth' };

/** The TLS identity of a configured node, read now; undefined if the cluster does not use TLS. @throws ConfigError */
export async function tlsOf(
  { nodes }: ClusterConfig,
  self: NodeConfig,
  now: number,
): Promise<(Identity & { readonly names: readonly string[] }) | undefined> {
  if (!self.tls) return undefined;
  const member = `nodes[${nodes.indexOf(self)}].tls`;
  const identity = await readIdentity(self.tls, { name: self.name, member, now });
  return { ...identity, names: nodes.map((node) => node.name) };
}

/** `name` is the node's, `member` the path of its `tls` in the configuration, `now` in ms. @throws ConfigError */
export async function readIdentity(
  tls: TlsConfig,
  { name, member, now }: { readonly name: string; readonly member: string; readonly now: number },
): Promise<Identity> {
  const { ca, certificate, key } = await readPems(tls, member);
  const authorities = certificatesIn(ca, `${member}.ca`, tls.ca);
  const chain = certificatesIn(certificate, `${member}.certificate`, tls.certificate);
  const own = chain[0] as X509Certificate;
  const refuse = (why: string): never => {
    throw new ConfigError(`${member}.certificate: ${tls.certificate} ${why}`);
  };
  if (!own.checkPrivateKey(privateKey(key, `${member}.key`, tls.key))) {
    throw new ConfigError(`${member}.key: ${tls.key} is not the key of ${tls.certificate}; give both of one pair`);
  }
  if (now > Date.parse(own.validTo)) refuse(`expired on ${own.validTo}; issue a new one for ${name}`);
  if (now < Date.parse(own.validFrom))
    refuse(`is not valid before ${own.validFrom}; correct the clock, or issue another`);
  if (own.checkHost(name, { subject: 'never', wildcards: false }) === undefined) {
    refuse(
      `is for ${own.subjectAltName ?? 'no host'} and not for DNS:${name}; issue one with that subject alternative name`,
    );
  }
  if (!isIssuedBy(chain, authorities)) refuse(`is not issued by ${tls.ca}; issue it with that authority`);
  for (const [id, use] of Object.entries(USES)) {
    if (own.keyUsage && !own.keyUsage.includes(id)) refuse(`does not allow ${use}; a node is server and client`);
  }
  return { ca, certificate, key };
}

/** The contents of the three files. @throws ConfigError */
export async function readPems(tls: TlsConfig, member: string): Promise<Identity> {
  const [ca, certificate, key] = await Promise.all([
    readPem(tls.ca, `${member}.ca`),
    readPem(tls.certificate, `${member}.certificate`),
    readPem(tls.key, `${member}.key`),
  ]);
  return { ca, certificate, key };
}

async function readPem(file: string, member: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError(
      `${member}: ${file} ${missing ? 'does not exist' : `cannot be read (${lineOf(error)})`}; correct the path, or put the PEM file there`,
    );
  }
}

function certificatesIn(text: string, member: string, file: string): readonly X509Certificate[] {
  const found = text.match(PEM) ?? [];
  try {
    if (found.length > 0) return found.map((pem) => new X509Certificate(pem));
  } catch (error) {
    throw new ConfigError(`${member}: ${file} holds a damaged certificate (${lineOf(error)}); put a PEM file there`);
  }
  throw new ConfigError(`${member}: ${file} holds no certificate; put a PEM file there`);
}

function privateKey(text: string, member: string, file: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new ConfigError(`${member}: ${file} is not a private key in PEM without a pass phrase (${lineOf(error)})`);
  }
}

/** Follows the chain from the node's own certificate over its intermediates to one of the authorities. */
function isIssuedBy(chain: readonly X509Certificate[], authorities: readonly X509Certificate[]): boolean {
  let current = chain[0] as X509Certificate;
  const issued = (by: X509Certificate): boolean => current.checkIssued(by) && current.verify(by.publicKey);
  for (let step = 0; step < CHAIN_MAX; step++) {
    if (authorities.some(issued)) return true;
    const next = chain.slice(1).find(issued);
    if (!next) return false;
    current = next;
  }
  return false;
}
