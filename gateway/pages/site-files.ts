import type { Route } from '../edge/route.ts';
import { withHead } from '../edge/route.ts';
import { serveAsset } from './kit/assets.ts';

/** What a crawler may read: the catalogue and its files. The rest is of persons, or of programs. */
const ROBOTS = `User-agent: *
Allow: /$
Allow: /models
Allow: /assets/
Allow: /favicon.ico
Disallow: /
`;
const DAY_S = 24 * 60 * 60;

/** The files that browsers and crawlers ask a site for by themselves. */
export const siteFileRoutes: readonly Route[] = [
  ...withHead({
    method: 'GET',
    path: '/favicon.ico',
    policy: 'unguarded',
    body: 'none',
    answer: (context) => serveAsset(context, 'favicon.ico'),
  }),
  ...withHead({
    method: 'GET',
    path: '/robots.txt',
    policy: 'unguarded',
    body: 'none',
    answer: () => ({
      type: 'text/plain; charset=utf-8',
      body: ROBOTS,
      headers: ['cache-control', `public, max-age=${DAY_S}`, 'x-content-type-options', 'nosniff'],
    }),
  }),
];
