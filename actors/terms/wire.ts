/** What an endpoint's provider expects of requests beyond the standard of its dialect, as it was declared. */

/** Where earlier reasoning goes back to a provider. */
export const REASONING_HISTORIES = [
  'auto',
  'reasoning',
  'reasoning_content',
  'details',
  'parts',
  'signature',
  'none',
] as const;
export type ReasoningHistory = (typeof REASONING_HISTORIES)[number];

/** The forms in which a provider takes its key. Each is made in `gateway/providers/call/credentials/`. */
export const CREDENTIAL_FORMS = [
  'bearer',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'aws-signature',
  'google-service-account',
  'none',
] as const;
export type CredentialForm = (typeof CREDENTIAL_FORMS)[number];

/** Published with the endpoint, for gateways only. An absent member is not declared: the adapter's own form applies. */
export interface Wire {
  /** Members of the body that the provider knows by another name. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Members that are never sent: of the body, and `messages.name`. */
  readonly omit?: readonly string[];
  /** Groups of sampling settings of which the provider takes one: the first that is asked for is sent. */
  readonly exclusive?: readonly (readonly string[])[];
  readonly thinkingSwitch?: ThinkingSwitch;
  /** Absent: `auto`, the member in which the endpoint reasons. */
  readonly reasoningHistory?: ReasoningHistory;
  /** Ids of tool calls that the provider accepts; others are mapped, a call and its result alike. */
  readonly toolId?: ToolIdPattern;
  /** Cache marks are sent on the parts of messages. */
  readonly cacheControl?: boolean;
  /** The role of system texts. */
  readonly systemRole?: 'system' | 'developer' | 'user';
  /** `asked`: the token ceiling is sent only where the request has one. */
  readonly ceiling?: 'always' | 'asked';
  /** Sent with every call: without any secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Part of the address of every call. */
  readonly query?: Readonly<Record<string, string>>;
  readonly credential?: CredentialForm;
}

/** The member that switches reasoning, and its value for each position; an absent one is not sent. */
interface ThinkingSwitch {
  /** Names from the body inwards. */
  readonly path: readonly string[];
  readonly on?: SwitchValue;
  readonly off?: SwitchValue;
}

type SwitchValue = Scalar | Readonly<Record<string, Scalar>>;
type Scalar = string | number | boolean;

/** Ids of one class of characters. */
export interface ToolIdPattern {
  /** Every accepted character. */
  readonly characters: string;
  readonly min: number;
  readonly max: number;
}

/** Longest id that is made; 20 characters of a class of letters differ in more than 90 bits. */
const MADE_CHARACTERS_MAX = 20;

/** The length of an id that is made instead of one that is not accepted. */
export function madeCharacters({ min, max }: Pick<ToolIdPattern, 'min' | 'max'>): number {
  return Math.max(min, Math.min(max, MADE_CHARACTERS_MAX));
}
