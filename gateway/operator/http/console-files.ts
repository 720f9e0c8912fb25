/** The console's files, as the build wrote them: scripts and styles with the hash of their content in their name. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAbsent, type OperatorRequest, type OperatorRoute, PortAnswer } from './operator-route.ts';

const FOLDER = 'dist/console';
const PARENTS_MAX = 8;
const PAGE = 'index.html';
const YEAR_S = 365 * 24 * 60 * 60;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The console runs its own scripts alone, is framed by nobody, and reaches no other origin. (rule K34) */
const HEADERS: readonly string[] = [
  'content-security-policy',
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; '),
  'x-frame-options',
  'DENY',
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
  'cross-origin-resource-policy',
  'same-origin',
];

/** The files by name; null until they are built. */
type Files = ReadonlyMap<string, Buffer> | null;

/** `/` leads to the console; below it a path with an extension is a file, and every other one the page. */
export function consoleRoutes(load: () => Files = builtFiles): readonly OperatorRoute[] {
  let files: Files = null;
  const answer = ({ params }: Pick<OperatorRequest, 'params'>): PortAnswer => {
    files ??= load();
    return files === null ? notBuilt() : fileOf(files, params['*'] ?? '');
  };
  const route = { method: 'GET', policy: 'open', answer } as const;
  return [
    { method: 'GET', path: '/', policy: 'open', summary: 'Leads to the console.', answer: toConsole },
    { method: 'GET', path: '/console', policy: 'open', summary: 'Leads to the console.', answer: toConsole },
    { ...route, path: '/console/*', summary: 'The console, for browsers.' },
  ];
}

function toConsole(): PortAnswer {
  return new PortAnswer({ status: 303, type: 'text/plain', body: '', headers: ['location', '/console/'] });
}

/** Files are found among the names that the folder has, so no path leads out of it. */
function fileOf(files: NonNullable<Files>, path: string): PortAnswer {
  const extension = extname(path);
  const name = extension === '' ? PAGE : path;
  const body = files.get(name);
  if (body === undefined) throw isAbsent(`file /console/${path}`);
  const cache = name === PAGE ? 'no-cache' : `public, max-age=${YEAR_S}, immutable`;
  return new PortAnswer({ type: TYPES[extname(name)] ?? 'application/octet-stream', body, headers: HEADERS, cache });
}

function notBuilt(): PortAnswer {
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Troupe console</title></head>
<body><h1>The console is not built</h1>
<p>Run <code>npm run build</code> in the folder of this node, and open the page again.</p></body></html>
`;
  return new PortAnswer({ status: 503, type: TYPES['.html'] as string, body, headers: HEADERS });
}

/** In the nearest folder above this file that has them, so that they are found from the sources and from `dist/`. */
function builtFiles(): Files {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (let i = 0; i < PARENTS_MAX; i++, folder = dirname(folder)) {
    const console = join(folder, FOLDER);
    if (existsSync(join(console, PAGE)))
      return new Map(readdirSync(console).map((name) => [name, readFileSync(join(console, name))]));
  }
  return null;
}
