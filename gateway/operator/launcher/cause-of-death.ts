/**
 * Tells crashed nodes from killed ones: only a crash may count against the activities that were running. In doubt the
 * node counts as killed. Pure.
 */
import { EXIT_UNCAUGHT } from './message.ts';
import type { NodeEnd } from './node-process.ts';

/** Signals of a process's own crash: an abort (also for a full heap), or a fault of its code. */
const OWN_SIGNALS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP']);

export function causeOfDeath(end: NodeEnd): 'own-hand' | 'outside' {
  if (end.killedFor !== null) return end.silentLoop ? 'own-hand' : 'outside';
  if (end.signal !== null) return OWN_SIGNALS.has(end.signal) ? 'own-hand' : 'outside';
  return end.code === EXIT_UNCAUGHT ? 'own-hand' : 'outside';
}
