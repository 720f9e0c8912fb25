/**
 * Arms one crash point of a request: `name`, or `name:n` for its n-th occurrence. Calls `kill` there, once. Null if
 * none is armed, so that the unarmed path costs nothing. Only chaos tests arm one.
 */
export function armCrashPoint(armed: string | undefined, kill: () => void): ((name: string) => void) | null {
  const [wanted, at = '1'] = (armed ?? '').split(':');
  if (!wanted) return null;
  let left = Number(at);
  return (name) => {
    if (name === wanted && --left === 0) kill();
  };
}
