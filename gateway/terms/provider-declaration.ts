/** A provider as the operator declares it in the config. Its key is named, never written. */
export interface ProviderDeclaration {
  /** Stable identifier used in provider preferences: lower case letters, digits, dashes. */
  readonly slug: string;
  /** Display name: the `provider` member of replies and the `X-Provider-Name` header. */
  readonly name: string;
  /** Address of its chat dialect, such as `https://api.example.com/v1`; `/chat/completions` is added. */
  readonly baseUrl: string;
  /** Environment variable that holds its API key; absent: no key is sent. */
  readonly apiKeyEnv?: string;
  /** Its models document: a file path relative to the config file, a URL, or the document itself. */
  readonly models: string | ModelsDocument;
}

export interface ModelsDocument {
  readonly models: readonly ModelDeclaration[];
}

/** One model at one provider: becomes one endpoint. Prices are exact decimal strings in USD. */
export interface ModelDeclaration {
  /** Catalogue id `author/slug`. */
  readonly id: string;
  /** Id the provider knows it by; absent: the catalogue id. */
  readonly upstreamId?: string;
  readonly name: string;
  /** Release date, Unix seconds. */
  readonly created: number;
  readonly description?: string;
  readonly contextLength: number;
  readonly maxCompletionTokens?: number;
  readonly maxPromptTokens?: number;
  readonly quantization?: string;
  readonly tokenizer?: string;
  readonly supportedParameters: readonly string[];
  readonly ceilingName?: 'max_tokens' | 'max_completion_tokens';
  /** The provider stops working, and charging, when the connection is closed. */
  readonly cancellable?: boolean;
  readonly pricing: {
    /** USD per token. */
    readonly prompt?: string;
    readonly completion?: string;
    /** USD per request. */
    readonly request?: string;
  };
  readonly discount?: number;
}
