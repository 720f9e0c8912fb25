/**
 * The parts of undici that the outbound client uses. The package's index also loads fetch, WebSocket, caches and mocks:
 * 0.1 s of CPU time at the start of every node. The version is pinned, so its inner files are stable.
 */
import { createRequire } from 'node:module';
import type undici from 'undici';

const load = createRequire(import.meta.url);

export const Client = load('undici/lib/dispatcher/client.js') as typeof undici.Client;
export type Client = undici.Client;

export const buildConnector = load('undici/lib/core/connect.js') as typeof undici.buildConnector;
