/** `troupe console`: a link that signs a browser in. */
import { ConfigError } from '../../config/config-error.ts';
import { readToken } from '../../config/secrets.ts';
import { local } from '../frame/command.ts';
import { findCluster } from '../frame/find-cluster.ts';

export const commands = [
  local('console', 'print a link that signs a browser in to the console', {
    options: { '--viewer': 'a link for somebody who only looks: it changes nothing' },
    run: async ({ viewer, ...options }) => {
      const { data, token, nodes } = await findCluster(options);
      const url = nodes.find(({ operatorUrl }) => operatorUrl !== null)?.operatorUrl;
      if (url == null) throw new ConfigError('the operator address of no node is known here; see `troupe ps`');
      // Behind the `#`, which browsers send to no server; the page removes it from the address.
      return { url: `${url}/console/#token=${viewer ? await readToken(data, 'viewer') : token}` };
    },
    print: ({ url }) => url,
  }),
];
