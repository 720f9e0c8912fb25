/** Every page of the console: its path, its place in the navigation, and what draws it. */
import type { ComponentChild } from 'preact';
import { matchPath } from './client/place.ts';
import { AccountPage, AccountsPage } from './pages/accounts.tsx';
import { ActorPage } from './pages/actor.tsx';
import { ActorsPage } from './pages/actors.tsx';
import { AlarmsPage } from './pages/alarms.tsx';
import { AuditPage } from './pages/audit.tsx';
import { ClusterPage } from './pages/cluster.tsx';
import { ConfigurationPage } from './pages/configuration.tsx';
import { EndpointPage, EndpointsPage } from './pages/endpoints.tsx';
import { GenerationPage, GenerationsPage } from './pages/generations.tsx';
import { JobsPage, WebhooksPage } from './pages/jobs.tsx';
import { MoneyPage } from './pages/money.tsx';
import { NowPage } from './pages/now.tsx';
import { SqlPage } from './pages/sql.tsx';
import { TakeoverPage } from './pages/takeover.tsx';

interface PageEntry {
  /** Parts that begin with a colon are parameters. */
  readonly path: string;
  readonly draw: (params: Readonly<Record<string, string>>) => ComponentChild;
  /** In the navigation; absent: reached from another page. */
  readonly nav?: { readonly name: string; readonly group: 'Runtime' | 'Marketplace' | 'Operations' };
}

export const PAGES: readonly PageEntry[] = [
  { path: '/', draw: () => <NowPage />, nav: { name: 'Now', group: 'Runtime' } },
  { path: '/actors', draw: () => <ActorsPage />, nav: { name: 'Actors', group: 'Runtime' } },
  { path: '/actors/:address', draw: ({ address = '' }) => <ActorPage address={address} /> },
  { path: '/cluster', draw: () => <ClusterPage />, nav: { name: 'Cluster', group: 'Runtime' } },
  { path: '/cluster/takeovers/:n', draw: ({ n = '' }) => <TakeoverPage n={n} /> },
  { path: '/alarms', draw: () => <AlarmsPage />, nav: { name: 'Alarms', group: 'Runtime' } },
  { path: '/sql', draw: () => <SqlPage />, nav: { name: 'SQL', group: 'Runtime' } },
  { path: '/generations', draw: () => <GenerationsPage />, nav: { name: 'Generations', group: 'Marketplace' } },
  { path: '/generations/:id', draw: ({ id = '' }) => <GenerationPage id={id} /> },
  { path: '/endpoints', draw: () => <EndpointsPage />, nav: { name: 'Endpoints', group: 'Marketplace' } },
  { path: '/endpoints/:id', draw: ({ id = '' }) => <EndpointPage id={id} /> },
  { path: '/accounts', draw: () => <AccountsPage />, nav: { name: 'Accounts', group: 'Marketplace' } },
  { path: '/accounts/:id', draw: ({ id = '' }) => <AccountPage id={id} /> },
  { path: '/jobs', draw: () => <JobsPage />, nav: { name: 'Jobs', group: 'Marketplace' } },
  { path: '/webhooks', draw: () => <WebhooksPage />, nav: { name: 'Webhooks', group: 'Marketplace' } },
  { path: '/money', draw: () => <MoneyPage />, nav: { name: 'Money', group: 'Marketplace' } },
  { path: '/audit', draw: () => <AuditPage />, nav: { name: 'Audit', group: 'Operations' } },
  { path: '/configuration', draw: () => <ConfigurationPage />, nav: { name: 'Configuration', group: 'Operations' } },
];

/** What the present path shows; null: no page has it. */
export function drawPage(path: string): ComponentChild {
  for (const page of PAGES) {
    const params = matchPath(page.path, path);
    if (params !== null) return page.draw(params);
  }
  return null;
}

/** The navigation's entry that a path belongs to. */
export function isWithin(entry: string, path: string): boolean {
  return entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`);
}
