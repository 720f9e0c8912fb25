import type { TurnDialect } from '../../actors/terms/endpoint.ts';

/** A provider as the operator declares it in the configuration. Its API key is referenced by the name of a variable or file only. */
export interface ProviderDeclaration {
  /** Stable identifier used in provider preferences: lower case letters, digits, dashes. */
  readonly slug: string;
  /** Display name: the `provider` member of replies and the `X-Provider-Name` header. */
  readonly name: string;
  /** Base URL of its API, such as `https://api.example.com/v1`; its dialect appends the path of a call. */
  readonly baseUrl: string;
  /** Dialect of its models that declare none; absent: `chat`. */
  readonly dialect?: TurnDialect;
  /** A row of the table of presets: what its provider expects, its address and its dialect, unless declared here. */
  readonly preset?: string;
  /** What it expects beyond its dialect, in the form of a models document. The configuration is checked against it. */
  readonly wire?: Readonly<Record<string, unknown>>;
  /** Environment variable that holds its API key; absent: no key is sent. */
  readonly apiKeyEnv?: string;
  /**
   * File that holds its API key instead, for its owner and group alone. Nodes read it anew when it changes, within
   * seconds and without a restart.
   */
  readonly keyFile?: string;
  /** Program and arguments that print its key or token instead. Each node runs it again before the token ends. */
  readonly keyCommand?: readonly string[];
  /**
   * Its models document: a file, a URL, or the document itself. The catalogue checks its shape (`parseDocument`); until
   * then it is any JSON.
   */
  readonly models: string | Readonly<Record<string, unknown>>;
  /** The operator's verdict on the provider's claim of zero data retention; absent: under review. */
  readonly zdr?: 'approved' | 'denied';
  /** The marketplace's part of each charge, decimal text from 0 to 1, such as `0.05`; absent: 0. */
  readonly feeFraction?: string;
  readonly website?: string;
  readonly privacyPolicyUrl?: string;
  readonly termsOfServiceUrl?: string;
  readonly statusPageUrl?: string;
  /** Two-letter country code. */
  readonly headquarters?: string;
}

/**
 * The operator's keys: `get` by provider slug, `values` all that may occur in an answer, former ones among them. A key
 * may change while the node runs, so ask each time.
 */
export type ProviderKeys = Pick<ReadonlyMap<string, string>, 'get' | 'values'>;
