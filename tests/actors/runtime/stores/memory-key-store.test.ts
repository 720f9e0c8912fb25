/** The simulated key store meets the contract of the KeyStore port. */
import { test } from 'uvu';
import { systemRandom } from '../../../../actors/runtime/system/clock.ts';
import { keyStoreContract } from '../../../contracts/key-store.contract.ts';
import { MemoryKeyStore } from '../../../support/memory-key-store.ts';

keyStoreContract('memory', async (clock) => {
  const keys = new MemoryKeyStore({ clock, random: systemRandom });
  const others = [keys.connect(), keys.connect()];
  return {
    keys,
    others,
    block: async () => {
      keys.cut = true;
    },
    unblock: async () => {
      keys.cut = false;
    },
    contents: async () => keys.contents(),
    close: async () => {},
  };
});

test.run();
