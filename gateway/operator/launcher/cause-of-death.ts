/**
 * Whether a node ended itself: only then may its death count against the work it was running. In doubt it did not. Pure.
 */
import { EXIT_UNCAUGHT } from './message.ts';
import type { NodeEnd } from './node-process.ts';

/** What a process strikes itself with: an abort (also when its heap is full), or code that ran into nothing. */
const OWN_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP']);

export function causeOfDeath(end: NodeEnd): 'own-hand' | 'outside' {
  if (end.killedFor !== null) return end.silentLoop ? 'own-hand' : 'outside';
  if (end.signal !== null) return OWN_SIGNALS.has(end.signal) ? 'own-hand' : 'outside';
  return end.code === EXIT_UNCAUGHT ? 'own-hand' : 'outside';
}
