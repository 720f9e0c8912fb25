import { readFile } from 'node:fs/promises';
import type { EndpointDeclaration } from '../../../actors/terms/declaration.ts';
import { endpointDeclarations } from '../../catalogue/endpoint-declaration.ts';
import { parseModelsText } from '../../catalogue/models-document.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { ConfigError, lineOf } from '../config/config-error.ts';

const PLACEHOLDER = { slug: 'provider', name: 'Provider', baseUrl: 'https://provider.invalid/v1' };

/**
 * The endpoints that a models document in a file declares. @throws ConfigError naming file, line and member of the
 * error.
 */
export async function checkDocument(
  file: string,
  provider: ProviderDeclaration = { ...PLACEHOLDER, models: file },
): Promise<readonly EndpointDeclaration[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError(`${file}: ${missing ? 'there is no such file' : `cannot be read (${lineOf(error)})`}`);
  }
  try {
    return parseModelsText(text, (document) => endpointDeclarations(provider, document));
  } catch (error) {
    throw new ConfigError(`${file}: ${lineOf(error)}`);
  }
}
