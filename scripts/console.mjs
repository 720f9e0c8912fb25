/**
 * Bundles the operator's console for browsers: `index.html` and the hashed scripts and styles that it names. Nothing of
 * it is a package at run time.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetchPackage } from './fetch.mjs';
import { log, ROOT } from './run.mjs';

/** Of esbuild. */
const BUNDLER_VERSION = '0.28.2';
const SOURCES = 'gateway/console';
const ENTRY = `${SOURCES}/main.tsx`;
/** What the bundle is made of; a start installs no development dependency, so these are then fetched. */
export const PACKAGES = ['preact', 'elkjs', 'uplot'];

/** The bundler, fetched once. */
export async function bundler() {
  const esbuild = join(fetchPackage('esbuild', BUNDLER_VERSION), 'lib', 'main.js');
  return (await import(pathToFileURL(esbuild).href)).default;
}

/** True for a source that only the bundle contains. */
export const isConsole = (path) => path.startsWith(`${SOURCES}/`);

/** Writes the bundle to a folder; ends this process if the sources do not compile. */
export async function bundleConsole(outdir) {
  const { build } = await bundler();
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    nodePaths: fetchedFolders(),
    entryPoints: [{ in: ENTRY, out: 'app' }],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    publicPath: '/console/',
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    legalComments: 'none',
    loader: { '.svg': 'file' },
    define: { 'process.env.NODE_ENV': '"production"' },
  }).catch(() => {
    log('troupe: the console does not compile; see above');
    process.exit(1);
  });
  mkdirSync(outdir, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  writeFileSync(join(outdir, 'index.html'), pageOf(metafile, outdir));
}

/** Folders in which the bundler finds the packages that are not installed, in the versions of package.json. */
function fetchedFolders() {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const missing = PACKAGES.filter((name) => !existsSync(join(ROOT, 'node_modules', name, 'package.json')));
  return missing.map((name) => dirname(fetchPackage(name, devDependencies[name])));
}

/** The page names the entry's script, its style and the mark; all have the hash of their content in their names. */
function pageOf({ outputs }, outdir) {
  const [path, { cssBundle }] = Object.entries(outputs).find(([, output]) => output.entryPoint === ENTRY);
  const [mark] = Object.keys(outputs).filter((output) => output.endsWith('.svg'));
  const url = (output) => `/console/${relative(outdir, join(ROOT, output))}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Troupe console</title>
<link rel="icon" href="${url(mark)}" type="image/svg+xml">
<link rel="stylesheet" href="${url(cssBundle)}">
<script type="module" src="${url(path)}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript. The same answers come from the command line: troupe --help.</noscript>
</body>
</html>
`;
}
