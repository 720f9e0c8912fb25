/**
 * A process that uses the keys of 40 hours in sequence: `key-maker.ts PATH`. Prints when it is ready, waits for input,
 * and prints a digest of each key. For tests that start several at the same time.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { openKeyDirectory } from '../../actors/runtime/stores/directory/open-key-directory.ts';
import { systemClock, systemRandom } from '../../actors/runtime/system/clock.ts';

const HOUR_MS = 3_600_000;
let now = 99 * HOUR_MS;
const clock = { ...systemClock, now: () => now };
const keys = await openKeyDirectory({ path: process.argv[2] ?? '', clock, random: systemRandom });
process.send?.('ready');
await once(process, 'message');
const digests: string[] = [];
for (let hour = 0; hour < 40; hour++) {
  const { secret } = await keys.current();
  digests.push(createHash('sha256').update(secret.export()).digest('hex'));
  now += HOUR_MS;
}
process.send?.(digests);
process.disconnect();
