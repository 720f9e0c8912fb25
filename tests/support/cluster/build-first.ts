/** Rebuilds `dist/`, so that tests and measurements run the current sources. Ends the process if the build fails. */
export async function buildFirst(): Promise<void> {
  const script = new URL('../../../scripts/build.mjs', import.meta.url).href;
  const { ensureBuilt } = (await import(script)) as { readonly ensureBuilt: () => Promise<boolean> };
  await ensureBuilt();
}
