import type { Wire } from '../../actors/terms/wire.ts';

type Body = Record<string, unknown>;

/**
 * Brings a body into the form that an endpoint's `wire` declares: members that are never sent, the position of the
 * thinking switch at its path, and members under their names there. Undefined where nothing of it is declared.
 */
export function shaper({ omit = [], rename = {}, thinkingSwitch }: Wire): ((body: Body) => void) | undefined {
  const renamed = Object.entries(rename);
  if (omit.length === 0 && renamed.length === 0 && thinkingSwitch === undefined) return undefined;
  return (body) => {
    for (const name of omit) delete body[name];
    if (thinkingSwitch !== undefined && typeof body.enable_thinking === 'boolean') {
      const value = body.enable_thinking ? thinkingSwitch.on : thinkingSwitch.off;
      delete body.enable_thinking;
      if (value !== undefined) setAt(body, thinkingSwitch.path, value);
    }
    for (const [name, wireName] of renamed) {
      if (!Object.hasOwn(body, name)) continue;
      const value = body[name];
      delete body[name];
      body[wireName] = value;
    }
  };
}

function setAt(body: Body, path: readonly string[], value: unknown): void {
  let at = body;
  for (const name of path.slice(0, -1)) {
    const inner = Object.hasOwn(at, name) && typeof at[name] === 'object' ? { ...(at[name] as Body) } : {};
    at[name] = inner;
    at = inner;
  }
  at[path.at(-1) as string] = value;
}
