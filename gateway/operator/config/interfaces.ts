/**
 * Which interfaces nodes may listen on: what is not the API is for this machine and a private network. Links between
 * hosts are for nodes with certificates only. (spec: reliability, attacks 79 and 80)
 */
import ipaddr from 'ipaddr.js';
import { hostOf, isLoopback } from '../../../actors/runtime/index.ts';
import type { NodeConfig } from '../../terms/config.ts';
import { ConfigError } from './config-error.ts';

/** `fd00::/8` and the like count as private. */
const PRIVATE: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

/** @throws Fault naming the member and the remedy. */
export function checkInterfaces(nodes: readonly NodeConfig[], source: string): void {
  nodes.forEach((node, at) => {
    const grpc = hostOf(node.grpc);
    if (isEverything(grpc)) {
      throw new ConfigError(
        `${source}: nodes[${at}].grpc is ${node.grpc}, where no other node can reach it; name the one address that they dial`,
      );
    }
    if (!node.tls && !isLoopback(grpc)) {
      throw new ConfigError(
        `${source}: nodes[${at}].grpc is ${node.grpc}, which other machines reach, and ${node.name} has no certificate; add nodes[${at}].tls {ca, certificate, key}, or listen on 127.0.0.1`,
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

/** A host name is not looked up: the network decides what it is, and it may change. */
function isExposed(host: string): boolean {
  if (!ipaddr.isValid(host)) return false;
  return !isLoopback(host) && !PRIVATE.has(ipaddr.process(host).range());
}
