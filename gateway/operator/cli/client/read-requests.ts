import { ConfigError, lineOf } from '../../config/config-error.ts';

/** What the file does not say. */
interface SubmissionOptions {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
}

const DEFAULT_ENDPOINT = '/v1/chat/completions';
/** One line of the common format; `method` and `url` may be left out. */
interface FileLine {
  readonly custom_id?: unknown;
  readonly url?: unknown;
  readonly body?: unknown;
}

/**
 * The submission in a file: a whole one as one JSON object with `requests`, or one request a line, in the common format
 * (`custom_id`, `method`, `url`, `body`) or with `custom_id` and `body` alone. The API checks everything else. @throws
 * ConfigError naming the line.
 */
export function readRequests(text: string, { endpoint, model }: SubmissionOptions): object {
  const whole = wholeOf(text);
  const own = { ...(endpoint === undefined ? {} : { endpoint }), ...(model === undefined ? {} : { model }) };
  if (whole !== null) return { ...whole, ...own };
  const lines = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [parseLine(line, at + 1)]));
  if (lines.length === 0) throw new ConfigError('the file has no request');
  const urls = new Set(lines.map(({ url }) => url).filter((url) => url != null));
  if (urls.size > 1)
    throw new ConfigError(`the lines name ${urls.size} addresses; a batch has one: ${[...urls].join(', ')}`);
  const [url = DEFAULT_ENDPOINT] = urls;
  return {
    endpoint: url,
    ...own,
    requests: lines.map(({ custom_id, body }) => ({ custom_id, body })),
  };
}

/** A whole submission; null for a file of lines. */
function wholeOf(text: string): object | null {
  try {
    const value = JSON.parse(text) as { readonly requests?: unknown } | null;
    return Array.isArray(value?.requests) ? (value as object) : null;
  } catch {
    return null;
  }
}

function parseLine(line: string, nth: number): FileLine {
  try {
    const value = JSON.parse(line) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    throw new ConfigError(`line ${nth} is not JSON: ${lineOf(error)}`);
  }
  throw new ConfigError(`line ${nth} is not a JSON object`);
}
