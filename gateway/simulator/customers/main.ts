/**
 * Runs the simulated customers as their own process: `main --base-url URL`, with their key in TROUPE_CUSTOMERS_KEY.
 * Ends on SIGTERM and with the process that started it.
 */
import { parseArgs } from 'node:util';
import { endWithParent } from '../end-with-parent.ts';
import { serveCustomers } from './customers.ts';

const { values } = parseArgs({ options: { 'base-url': { type: 'string' } } });
const key = process.env.TROUPE_CUSTOMERS_KEY;
if (values['base-url'] === undefined || key === undefined)
  throw new Error('--base-url or TROUPE_CUSTOMERS_KEY is missing');
const end = (): void => process.exit(0);
process.on('SIGINT', () => {});
process.on('SIGTERM', end);
endWithParent(end);
await serveCustomers({ baseUrl: values['base-url'], key });
