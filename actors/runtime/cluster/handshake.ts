import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Charts } from '../actor/charts/chart-range.ts';
import type { Hello, Welcome } from '../ports/transport.ts';
import { misfit } from './chart-levels.ts';

/** Raised when an older build cannot read what a newer one sends. */
export const WIRE_MAJOR = 1;

/** What both ends of a link must agree on before it opens. */
export interface Terms {
  readonly name: string;
  readonly incarnation: string;
  readonly shards: number;
  readonly configDigest: string;
  /** Chart versions of this build. */
  readonly charts: Charts;
  /** The cluster's secret: shared by every node, never sent. */
  readonly secret: string;
}

/** `to` is the dialled incarnation: a proof that an attacker intercepts is valid at no other node. */
export function greet(own: Terms, to: string): Hello {
  return {
    name: own.name,
    incarnation: own.incarnation,
    shards: own.shards,
    wireMajor: WIRE_MAJOR,
    configDigest: own.configDigest,
    charts: own.charts,
    proof: prove(own.secret, 'hello', own.name, own.incarnation, to),
  };
}

/** A node that proved the secret is refused for what it is, which no further try changes. */
type Judged = { readonly refused: string; readonly isProven: boolean } | { readonly welcome: Welcome };

/** Judges a dialling node. The secret is checked first, so that a stranger learns nothing else. */
export function judge(hello: Hello, own: Terms): Judged {
  if (!same(hello.proof, prove(own.secret, 'hello', hello.name, hello.incarnation, own.incarnation))) {
    return { refused: 'the cluster secret differs, or another incarnation was meant', isProven: false };
  }
  const refused = refusalOf(hello, own);
  if (refused !== null) return { refused, isProven: true };
  const proof = prove(own.secret, 'welcome', own.incarnation, hello.incarnation);
  return { welcome: { name: own.name, incarnation: own.incarnation, charts: own.charts, proof } };
}

function refusalOf(hello: Hello, own: Terms): string | null {
  if (hello.wireMajor !== WIRE_MAJOR) {
    return `${own.name} speaks wire version ${WIRE_MAJOR}, ${hello.name} ${hello.wireMajor}`;
  }
  if (hello.shards !== own.shards) return `${own.name} has ${own.shards} shards, ${hello.name} ${hello.shards}`;
  if (hello.configDigest !== own.configDigest) {
    return `${own.name} and ${hello.name} run with different configurations`;
  }
  return misfit(own.name, own.charts, hello.name, hello.charts);
}

/** True if the other end is the dialled incarnation and proves the secret. */
export function trusts(welcome: Welcome, expected: string, own: Terms): boolean {
  return (
    welcome.incarnation === expected && same(welcome.proof, prove(own.secret, 'welcome', expected, own.incarnation))
  );
}

/** Compares texts in constant time. */
export function same(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function prove(secret: string, ...parts: readonly string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('hex');
}
