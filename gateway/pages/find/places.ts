/** What can be found without a look into the store: the pages, and what people do most on those of an account. */
import { PREFIX } from '../../edge/route.ts';
import { PLACES } from '../account/account-page.ts';
import type { Found } from './found.ts';

export const PUBLIC_PAGES: readonly Found[] = [
  { name: 'Models', what: 'page', path: '/models' },
  { name: 'API', what: 'page', path: `${PREFIX}/docs` },
  { name: 'Errors, and what to retry', what: 'API', path: `${PREFIX}/docs#errors` },
  { name: 'Streaming', what: 'API', path: `${PREFIX}/docs#streaming` },
  { name: 'First page', what: 'page', path: '/' },
];

export const ACCOUNT_PAGES: readonly Found[] = PLACES.map(({ path, name }) => ({ name, what: 'account', path }));

export const ACCOUNT_ACTIONS: readonly Found[] = [
  { name: 'Create a key', what: 'action', path: '/account/keys#name' },
  { name: 'Download the usage of 30 days as CSV', what: 'action', path: '/account/usage.csv?days=30' },
  { name: 'Requests that failed', what: 'list', path: '/account/generations?outcome=released' },
  { name: 'Requests that run', what: 'list', path: '/account/generations?outcome=running' },
  { name: 'Dearest requests', what: 'list', path: '/account/generations?sort=cost' },
  { name: 'Slowest requests', what: 'list', path: '/account/generations?sort=time' },
  { name: 'Charges by key', what: 'list', path: '/account/usage?by=key' },
  { name: 'Add credits', what: 'action', path: '/account/credits#add' },
  { name: 'Statements by month', what: 'list', path: '/account/credits#statements' },
];
