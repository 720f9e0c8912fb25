/**
 * The two parts of undici that are used. Its index loads all of it: `fetch`, sockets, caches and mocks take 0.1 s of CPU
 * time of every start.
 */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';

  export default Client;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';

  export default buildConnector;
}
