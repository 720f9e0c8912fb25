/** Brings `dist/` up to date with the sources: what is started and measured is what was written. Ends the process if it cannot. */
export async function buildFirst(): Promise<void> {
  const script = new URL('../../../scripts/build.mjs', import.meta.url).href;
  const { ensureBuilt } = (await import(script)) as { readonly ensureBuilt: () => boolean };
  ensureBuilt();
}
