/** `troupe accounts top`: who was charged most on a day. */
import { command } from '../frame/asking.ts';
import { count } from '../frame/names.ts';
import { table } from '../frame/print.ts';

interface Spenders {
  readonly data: readonly {
    readonly name: string;
    readonly label: string | null;
    readonly requests: number;
    readonly charged: string;
  }[];
}

export const topAccounts = command('top', 'list the accounts that were charged most on a UTC day, the dearest first', {
  options: {
    '--day <day>': 'the day, YYYY-MM-DD (default: today)',
    '--limit <count>': count('how many (default: 50, at most 200)', 'number of accounts'),
  },
  ask: ({ day, limit }, api) => api.get<Spenders>('/api/spend', { by: 'account', day, limit }),
  print: ({ data }) => {
    if (data.length === 0) return 'nothing was charged';
    const rows = data.map(({ name, label, requests, charged }) => [name, label ?? '', requests, charged]);
    return table(['ACCOUNT', 'NAME', 'REQUESTS', 'CHARGED USD'], rows);
  },
});
