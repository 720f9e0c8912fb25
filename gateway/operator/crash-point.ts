/**
 * Arms one named moment of a request's life: `name`, or `name:n` for the n-th time it comes by. Calls `kill` then, once.
 * Null where nothing is armed, so that the unarmed path costs nothing. Only chaos tests arm one.
 */
export function armCrashPoint(armed: string | undefined, kill: () => void): ((name: string) => void) | null {
  const [wanted, at = '1'] = (armed ?? '').split(':');
  if (!wanted) return null;
  let left = Number(at);
  return (name) => {
    if (name === wanted && --left === 0) kill();
  };
}
