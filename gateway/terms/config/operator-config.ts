/** The operator port beyond its addresses, which belong to each node. */
export interface OperatorConfig {
  /** The organisation's own sign-in for operators, by OpenID Connect; null: tokens alone. */
  readonly oidc: OidcConfig | null;
  /** Less free space on the disk of a data folder is an alarm; 0: never. */
  readonly lowDiskBytes: number;
  /** Folders of other builds by name, relative to the configuration; their code runs to take recorded steps again. */
  readonly builds: Readonly<Record<string, string>>;
}

export interface OidcConfig {
  /** The address under which the issuer publishes its metadata; without TLS on loopback only. */
  readonly issuer: string;
  readonly clientId: string;
  /** A file that holds the client's secret, relative to the configuration; read anew for each sign-in. */
  readonly clientSecretFile: string;
  /** The origin under which browsers reach the operator port; the issuer leads back to `/api/session/callback` there. */
  readonly origin: string;
  /** The claim of the id token with the groups of a person: a text, or a list of texts. */
  readonly claim: string;
  /** Groups with the role operator, and those with the role viewer; a person in neither is refused. */
  readonly operators: readonly string[];
  readonly viewers: readonly string[];
}
