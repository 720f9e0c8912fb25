import { readFile } from 'node:fs/promises';
import type { EndpointDeclaration } from '../../../../actors/terms/endpoint.ts';
import { endpointDeclarations } from '../../../catalogue/document/endpoint-declaration.ts';
import { BrokenDocument, modelsWarnings, parseModelsText } from '../../../catalogue/document/models-document.ts';
import type { ProviderDeclaration } from '../../../terms/provider-declaration.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';

const PLACEHOLDER = { slug: 'provider', name: 'Provider', baseUrl: 'https://provider.invalid/v1' };

/** What a valid document declares, and what of it is probably a mistake. */
export interface CheckedDocument {
  readonly endpoints: readonly EndpointDeclaration[];
  readonly warnings: readonly string[];
}

/** @throws ConfigError naming the file, and line and member of every fault. */
export async function checkDocument(
  file: string,
  provider: ProviderDeclaration = { ...PLACEHOLDER, models: file },
): Promise<CheckedDocument> {
  const text = await textOf(file);
  try {
    const endpoints = parseModelsText(text, (document) => endpointDeclarations(provider, document));
    return { endpoints, warnings: modelsWarnings(text) };
  } catch (error) {
    const faults = error instanceof BrokenDocument ? error.faults : [lineOf(error)];
    const [first = '', ...further] = faults.map((fault) => `${file}: ${fault}`);
    throw new ConfigError(first, further);
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new ConfigError(`${file}: ${missing ? 'there is no such file' : `cannot be read (${lineOf(error)})`}`);
  }
}
