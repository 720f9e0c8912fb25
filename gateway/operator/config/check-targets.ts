import ipaddr from 'ipaddr.js';
import type { TargetRules } from '../../terms/config.ts';
import { ConfigError } from './config-error.ts';

/** Checks what the schema cannot: that origins are written as they are compared, and that ranges are ranges. */
export function checkTargets({ allowedTargets, refusedHosts }: TargetRules, source: string): void {
  allowedTargets.forEach((entry, at) => {
    const name = `${source}: webhooks.allowedTargets[${at}]`;
    if (!entry.includes('://')) checkRange(entry, name);
    else if (!URL.canParse(entry) || new URL(entry).origin !== entry) {
      const usual = URL.canParse(entry) ? `write ${new URL(entry).origin}` : 'name a scheme, a host and a port';
      throw new ConfigError(`${name} is ${entry}, which is not an origin in its usual form; ${usual}`);
    }
  });
  refusedHosts.forEach((entry, at) => {
    if (entry.includes('/')) checkRange(entry, `${source}: webhooks.refusedHosts[${at}]`);
  });
}

function checkRange(entry: string, name: string): void {
  if (ipaddr.isValidCIDR(entry)) return;
  throw new ConfigError(`${name} is ${entry}, which is not a range of addresses; write one such as 10.1.0.0/16`);
}
