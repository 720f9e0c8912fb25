/**
 * The declarations that the catalogue sends to provider and endpoint actors: plain JSON built from the operator's
 * config. An endpoint actor adds its measurements to its declaration and publishes both as an `Endpoint`.
 */
import type { Endpoint } from './endpoint.ts';

/** One provider, as the board shows it under its slug (topic `providers`). Null: not declared. */
export interface ProviderFacts {
  /** Stable id, `prov_...`. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly website: string | null;
  readonly privacyPolicyUrl: string | null;
  readonly termsOfServiceUrl: string | null;
  readonly statusPageUrl: string | null;
  /** Two-letter country code. */
  readonly headquarters: string | null;
  readonly datacenters: readonly string[] | null;
  /** The marketplace's part of each charge, decimal text from 0 to 1; absent: 0. */
  readonly feeFraction?: string;
}

/** One model at one provider: an `Endpoint` without its measured members. */
export type EndpointDeclaration = Omit<Endpoint, 'health' | 'healthReason' | 'paused' | 'evidence' | 'measured'>;
