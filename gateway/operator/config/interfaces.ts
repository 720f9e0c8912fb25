/**
 * Checks the interfaces that nodes listen on: only the public API may be reachable from public networks, and links
 * between hosts require certificates. (rule N36, rule N32)
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { hostOf, isLoopback } from '../../../actors/runtime/index.ts';
import type { NodeConfig } from '../../terms/config/config.ts';
import { ConfigError } from './config-error.ts';

/** Address ranges that count as private, such as `fd00::/8`. */
const PRIVATE: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.?$/i;
/** The resolver reads `0`, `1` and `0x7f000001` as IPv4 addresses: `0` would listen on every interface. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i;

/** True for an IP address or a host name, in the form that a person writes. */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || (HOST_NAME.test(text) && !ENDS_IN_NUMBER.test(text));
}

/** Throws ConfigError naming the member and the remedy. */
export function checkInterfaces(nodes: readonly NodeConfig[], source: string): void {
  nodes.forEach((node, at) => {
    const grpc = hostOf(node.grpc);
    if (isEverything(grpc)) {
      throw new ConfigError(
        `${source}: nodes[${at}].grpc is ${node.grpc}, which no other node can dial; name one address of this host`,
      );
    }
    if (!node.tls && !isLoopback(grpc)) {
      throw new ConfigError(
        `${source}: nodes[${at}].grpc is ${node.grpc}, which other machines can reach, and ${node.name} has no certificate; add nodes[${at}].tls {ca, certificate, key}, or listen on 127.0.0.1`,
      );
    }
    if (isExposed(hostOf(node.operator))) {
      throw new ConfigError(
        `${source}: nodes[${at}].operator is ${node.operator}, which is not for the public; name a loopback or a private address`,
      );
    }
  });
  const bare = nodes.findIndex((node) => !node.tls);
  if (bare >= 0 && nodes.some((node) => node.tls)) {
    throw new ConfigError(
      `${source}: nodes[${bare}].tls is missing while other nodes have it; give it to all or to none`,
    );
  }
}

function isEverything(host: string): boolean {
  return ipaddr.isValid(host) && ipaddr.parse(host).range() === 'unspecified';
}

/** Host names are not resolved: their address depends on the network and may change. */
function isExposed(host: string): boolean {
  if (!ipaddr.isValid(host)) return false;
  return !isLoopback(host) && !PRIVATE.has(ipaddr.process(host).range());
}

/** Splits `host:port` from a checked configuration; removes the brackets of an IPv6 address. */
export function hostPort(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(':');
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
}
