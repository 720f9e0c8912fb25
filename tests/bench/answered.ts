import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The next message of a process; rejects if it ends first. Removes its listeners. */
export async function answered<T>(process: ChildProcess): Promise<T> {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(process, 'exit', { signal }).then(([code]) => {
    throw new Error(`a process of the benchmark ended with code ${code}`);
  });
  try {
    const [message] = (await Promise.race([once(process, 'message', { signal }), ended])) as [T];
    return message;
  } finally {
    ended.catch(() => {});
    over.abort();
  }
}
