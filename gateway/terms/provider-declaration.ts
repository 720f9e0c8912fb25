/** A provider as the operator declares it in the config. Its key is named, never written. */
export interface ProviderDeclaration {
  /** Stable identifier used in provider preferences: lower case letters, digits, dashes. */
  readonly slug: string;
  /** Display name: the `provider` member of replies and the `X-Provider-Name` header. */
  readonly name: string;
  /** Where its dialect is spoken, such as `https://api.example.com/v1`; `/chat/completions` or `/messages` is added. */
  readonly baseUrl: string;
  /** What it speaks; absent: `chat`. */
  readonly dialect?: 'chat' | 'messages';
  /** Environment variable that holds its API key; absent: no key is sent. */
  readonly apiKeyEnv?: string;
  /**
   * Its models document: a file, a URL, or the document itself. The shape is the catalogue's to check (`parseDocument`);
   * until then it is no more than JSON.
   */
  readonly models: string | Readonly<Record<string, unknown>>;
  /** The operator's verdict on the provider's claims of zero data retention; absent: they are under review. */
  readonly zdr?: 'approved' | 'denied';
  readonly website?: string;
  readonly privacyPolicyUrl?: string;
  readonly termsOfServiceUrl?: string;
  readonly statusPageUrl?: string;
  /** Two-letter country code. */
  readonly headquarters?: string;
}
