/**
 * The parts of undici that the outbound client uses. The package's index also loads fetch, WebSocket, caches and mocks:
 * 0.1 s of CPU time at the start of every node. The version is pinned, so its inner files are stable.
 */
import type undici from 'undici';
// @ts-expect-error: undici declares no types for its inner files.
import buildConnectorUntyped from 'undici/lib/core/connect.js';
// @ts-expect-error: as above.
import ClientUntyped from 'undici/lib/dispatcher/client.js';

export const Client = ClientUntyped as typeof undici.Client;
export type Client = undici.Client;

export const buildConnector = buildConnectorUntyped as typeof undici.buildConnector;
