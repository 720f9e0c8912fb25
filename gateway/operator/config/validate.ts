/** Validates a configuration against its schema, and the models documents that it contains. Throws ConfigError. */
import { endpointDeclarations } from '../../catalogue/endpoint-declaration.ts';
import { parseModelsValue } from '../../catalogue/models-document.ts';
import type { ProviderDeclaration } from '../../terms/provider-declaration.ts';
import { check } from './check.ts';
import { ConfigError, lineOf } from './config-error.ts';
import { configSchema } from './schema.ts';

export function validate(config: unknown, source: string): void {
  check(configSchema, config, source);
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
