/** Validates a configuration against its schema, and the models documents that it contains. Throws ConfigError. */
import type { TSchema } from 'typebox';
import { readDocumentFile } from '../../catalogue/document/document-file.ts';
import { endpointDeclarations } from '../../catalogue/document/endpoint-declaration.ts';
import { parseModelsText, parseModelsValue } from '../../catalogue/document/models-document.ts';
import { validationErrors } from '../../catalogue/document/validation-error.ts';
import { checkWire, presetOf } from '../../catalogue/document/wire-of.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { ConfigError, lineOf } from './config-error.ts';
import { configSchema } from './schema.ts';

export function validate(config: unknown, source: string): void {
  check(configSchema, config, source);
}

/**
 * The address of each provider, from its preset where it declares none. Throws ConfigError where neither has one, and
 * for a `wire` that cannot be.
 */
export function withAddresses(
  providers: readonly ProviderDeclaration[],
  source: string,
): readonly ProviderDeclaration[] {
  return providers.map((provider, at) => {
    const place = `${source}: providers[${at}]`;
    try {
      checkWire(provider.wire ?? {}, ['wire']);
    } catch (error) {
      throw new ConfigError(`${place}.${lineOf(error)}`);
    }
    if (provider.baseUrl !== undefined) return provider;
    const { baseUrl, example } = presetOf(provider) ?? {};
    if (baseUrl != null) return { ...provider, baseUrl };
    throw new ConfigError(
      `${place}.baseUrl is missing; add it as an address such as ${example ?? 'https://api.example.com/v1'}`,
    );
  });
}

/** Documents given by file or address are validated when they are read. */
export function validateModels(providers: readonly ProviderDeclaration[], source: string): void {
  providers.forEach((provider, at) => {
    if (typeof provider.models === 'string') return;
    try {
      parseModelsValue(provider.models, (document) => endpointDeclarations(provider, document));
    } catch (error) {
      throw new ConfigError(`${source}: providers[${at}].models: ${lineOf(error)}`);
    }
  });
}

/** Documents in files of this host; those at addresses are read when the node starts. @throws ConfigError */
export async function validateModelFiles(providers: readonly ProviderDeclaration[], source: string): Promise<void> {
  for (const [at, provider] of providers.entries()) {
    if (typeof provider.models !== 'string' || /^https?:\/\//.test(provider.models)) continue;
    try {
      parseModelsText(await readDocumentFile(provider.models), (document) => endpointDeclarations(provider, document));
    } catch (error) {
      throw new ConfigError(`${source}: providers[${at}].models: ${provider.models}: ${lineOf(error)}`);
    }
  }
}

/** Throws ConfigError with the first error of a value: its source, the member and the remedy. Never changes the value. */
export function check(schema: TSchema, value: unknown, source: string): void {
  const [error] = validationErrors(schema, value, 1);
  if (error) throw new ConfigError(`${source}: ${error.message}`);
}
