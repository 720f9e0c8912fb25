import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Bytes that this process retains after garbage collection: objects and buffers. */
export function bytesHeld(): number {
  if (collect === undefined) {
    setFlagsFromString('--expose_gc');
    collect = runInNewContext('gc') as () => void;
  }
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
