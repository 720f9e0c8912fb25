import { Adoption } from '../../../actors/runtime/durable/residency/adoption.ts';
import type { Mutation } from '../mutation.ts';

type Open = { readonly parts: { readonly host: { isGone(incarnation: string): boolean } } };
const prototype = Adoption.prototype as unknown as { checkLeases(this: Open, ...args: unknown[]): Promise<void> };

/** A node that adopts a shard treats every gateway as dead. */
export const takeoverReleases: Mutation = {
  name: 'hold released by a takeover',
  caughtBy: 1,
  begin() {
    const { checkLeases } = prototype;
    if (checkLeases === undefined) throw new Error('Adoption has no method checkLeases to replace');
    prototype.checkLeases = function (...args) {
      const { host } = this.parts;
      const allGone = Object.assign(Object.create(host), { isGone: () => true });
      const parts = Object.assign(Object.create(this.parts), { host: allGone });
      return checkLeases.apply(Object.assign(Object.create(this), { parts }), args);
    };
    return () => {
      prototype.checkLeases = checkLeases;
    };
  },
};
