import type { Kind } from '../../../actors/runtime/index.ts';

/** A kind of actor for tests: without rows, activities and volatile events, unless the members say otherwise. */
export function testKind(members: Pick<Kind, 'name' | 'machine' | 'creates'> & Partial<Kind>): Kind {
  return {
    version: 1,
    finishes: [],
    volatile: [],
    collections: {},
    explain: () => [],
    redact: (context) => context,
    ...members,
  };
}
