/** `troupe console`: a link that signs a browser in. */
import { readToken } from '../../config/secrets.ts';
import { local } from '../frame/command.ts';
import { findCluster } from '../frame/find-cluster.ts';

export const commands = [
  local('console', 'print a link that signs a browser in to the console', {
    options: { '--viewer': 'a link for somebody who only looks: it changes nothing' },
    run: async ({ viewer, ...options }) => {
      const { data, token, nodes } = await findCluster(options);
      // Behind the `#`, which browsers send to no server; the page removes it from the address.
      return { url: `${nodes[0]?.operatorUrl}/console/#token=${viewer ? await readToken(data, 'viewer') : token}` };
    },
    print: ({ url }) => url,
  }),
];
