import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/**
 * Bytes that this process retains after garbage collection: objects and buffers. One collection leaves what finalizers
 * release; it is enough to follow a rise.
 */
export function bytesHeld(collections = 3): number {
  if (collect === undefined) {
    setFlagsFromString('--expose_gc');
    collect = runInNewContext('gc') as () => void;
  }
  for (let i = 0; i < collections; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
