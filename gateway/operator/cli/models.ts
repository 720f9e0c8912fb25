/** `troupe models`: reloads models documents, validates a document, and prints their JSON Schema. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { EndpointDeclaration } from '../../../actors/terms/declaration.ts';
import type { Declared } from '../../catalogue/declare.ts';
import { findCluster } from './find-cluster.ts';
import type { GlobalOptions } from './global-options.ts';
import { print, table } from './print.ts';

const REFRESH_HELP = `
A document that is invalid or cannot be read changes nothing: the provider keeps its last declaration, and the reason
is shown here (exit code 1), in the log, and by \`troupe why provider:SLUG\`.`;

export function addModels(program: Command): void {
  const models = program.command('models').description('reload and check the models documents of providers');
  models
    .command('refresh')
    .argument('[provider]', 'the slug of one provider (default: all)')
    .description('reload models documents now')
    .addHelpText('after', REFRESH_HELP)
    .action(async (provider: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const { refreshModels } = await import('./refresh-models.ts');
      const declared = await refreshModels(await findCluster(options), provider);
      print(options, declared, () => renderDeclared(declared));
      if (declared.some(({ problem }) => problem !== null)) process.exitCode = 1;
    });
  models
    .command('check')
    .argument('<file>', 'a models document')
    .description('check a models document without a cluster; prints line and member of an error')
    .action(async (file: string, _: unknown, command: Command) => {
      const { checkDocument } = await import('./check-document.ts');
      const declared = await checkDocument(resolve(file));
      print(command.optsWithGlobals<GlobalOptions>(), declared, () => renderEndpoints(declared));
    });
  models
    .command('schema')
    .description('print the JSON Schema of a models document')
    .action(async () => {
      const { publishedSchema } = await import('../../catalogue/published-schema.ts');
      process.stdout.write(`${JSON.stringify(publishedSchema(), null, 2)}\n`);
    });
}

function renderDeclared(declared: readonly Declared[]): string {
  const rows = declared.map(({ provider, endpoints, changes, problem }) =>
    problem === null ? [provider, String(endpoints.length), String(changes), 'declared'] : [provider, '', '', problem],
  );
  return table(['PROVIDER', 'ENDPOINTS', 'CHANGES', 'DOCUMENT'], rows);
}

function renderEndpoints(declared: readonly EndpointDeclaration[]): string {
  const rows = declared.map((endpoint) => [
    endpoint.model,
    endpoint.target.upstreamId,
    String(endpoint.contextLength),
    endpoint.inputModalities.join('+'),
    endpoint.outputModalities.join('+'),
    endpoint.tariff.prompt ?? 'unpriced',
    endpoint.tariff.completion ?? 'unpriced',
  ]);
  return table(['MODEL', 'AT THE PROVIDER', 'CONTEXT', 'INPUT', 'OUTPUT', 'PROMPT USD', 'COMPLETION USD'], rows);
}
