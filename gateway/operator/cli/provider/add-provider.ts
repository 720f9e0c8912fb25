/** Writes a provider of a known preset into the configuration, with a models document from its own list of models. */
import { chmod, realpath, stat, unlink } from 'node:fs/promises';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { endpointDeclarations } from '../../../catalogue/document/endpoint-declaration.ts';
import { parseModelsText } from '../../../catalogue/document/models-document.ts';
import { listedDocument, type StatedFacts } from '../../../catalogue/listed/listed-document.ts';
import { PRESETS, type Preset } from '../../../catalogue/presets/presets.ts';
import type { ProviderDeclaration } from '../../../terms/provider-declaration.ts';
import { ConfigError, lineOf } from '../../config/config-error.ts';
import { slugsIn, withProvider } from '../../config/edit-config.ts';
import { readKeyFile } from '../../config/key-file.ts';
import { loadConfig } from '../../config/load.ts';
import { writeWhole } from '../../launcher/private-files.ts';
import type { GlobalOptions } from '../frame/command.ts';
import { listOf } from './list-models.ts';
import { type OwnConfig, ownConfig, withOutbound } from './own-config.ts';

export interface NewProvider extends GlobalOptions, StatedFacts {
  readonly name: string;
  readonly preset: string;
  readonly keyFile?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Ids of the models to take; absent: all of the list. */
  readonly models?: readonly string[] | undefined;
}

/** What was written, and what its models lack. */
export interface AddedProvider {
  readonly provider: string;
  readonly config: string;
  readonly document: string;
  readonly models: number;
  readonly serving: number;
  /** Ids of models that do not serve, because their list states no price or no context length. */
  readonly unpriced: readonly string[];
  readonly unmeasured: readonly string[];
  /** Ids in the list that answer no conversation. */
  readonly others: readonly string[];
}

/** Changes nothing unless all of it can be written. @throws ConfigError */
export async function addProvider(given: NewProvider): Promise<AddedProvider> {
  const preset = (PRESETS as Readonly<Record<string, Preset>>)[given.preset] as Preset;
  const config = await ownConfig(given);
  checkFree(given, config);
  const folder = dirname(config.path);
  const document = join(folder, `${given.name}.models.json`);
  if (await exists(document)) {
    throw new ConfigError(`${document} exists already; move it away, or choose another name than ${given.name}`);
  }
  const provider = providerOf(given, preset);
  const key = given.keyFile === undefined ? null : (await readKeyFile(resolve(given.keyFile), '--key-file')).key;
  const { keyFile, models: named } = given;
  const { models, others } = await withOutbound((outbound) =>
    listOf({ outbound, preset, provider, key, keyFile, named }),
  );
  const made = listedDocument(models, given, { dialect: preset.dialect, author: given.preset });
  const documentText = `${JSON.stringify(made.document, null, 2)}\n`;
  const endpoints = checked(documentText, provider, document);
  await write(config, entryOf(given, preset, folder), { path: document, text: documentText });
  const { unpriced, unmeasured } = made;
  const facts = { provider: given.name, config: config.path, document, models: models.length, serving: endpoints };
  return { ...facts, unpriced, unmeasured, others };
}

/** @throws ConfigError where the file is no JSON or has that provider. */
function checkFree({ name }: NewProvider, { path, text }: OwnConfig): void {
  if (extname(path) !== '.json') {
    throw new ConfigError(`${path} is not a JSON file, which alone can be edited; name one with --config FILE.json`);
  }
  if (text === null || !slugsIn(text, path).includes(name)) return;
  throw new ConfigError(`${path} already declares a provider ${name}; choose another name, or edit the entry there`);
}

function providerOf({ name, preset, baseUrl }: NewProvider, known: Preset): ProviderDeclaration {
  const address = baseUrl ?? known.baseUrl;
  if (address === null) {
    throw new ConfigError(
      `each operator of ${preset} has an own address; give it with --base-url, as ${known.example}`,
    );
  }
  return { slug: name, name: known.title, preset, baseUrl: address, models: { data: [] } };
}

/** The entry as an operator writes it: files relative to the configuration where they lie below it. */
function entryOf({ name, preset, baseUrl, keyFile }: NewProvider, { title }: Preset, folder: string): object {
  return {
    slug: name,
    name: title,
    preset,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(keyFile === undefined ? {} : { keyFile: shortPath(folder, resolve(keyFile)) }),
    models: `./${name}.models.json`,
  };
}

function shortPath(folder: string, path: string): string {
  const below = relative(folder, path);
  return below.startsWith('..') ? path : `./${below}`;
}

/** How many of the document's models serve. @throws ConfigError for a list that makes no valid document. */
function checked(text: string, provider: ProviderDeclaration, file: string): number {
  try {
    return parseModelsText(text, (document) => endpointDeclarations(provider, document)).length;
  } catch (error) {
    throw new ConfigError(
      `the list of models makes no valid document (${file}: ${lineOf(error)}); nothing was written`,
    );
  }
}

/** Both files or none: the new configuration is checked as a whole before it takes the place of the other. */
async function write(
  { path, text }: OwnConfig,
  entry: object,
  document: { readonly path: string; readonly text: string },
): Promise<void> {
  const changed = withProvider(text ?? '{}\n', entry);
  const trial = path.replace(/\.json$/, '.trial.json');
  await writeWhole(document.path, document.text);
  try {
    await writeWhole(trial, changed);
    await loadConfig({ file: trial, cwd: process.cwd(), env: null });
    await replace(path, changed);
  } catch (error) {
    await unlink(document.path);
    throw error;
  } finally {
    await unlink(trial).catch(() => {});
  }
}

/** Behind a link, and with the rights that the file had. */
async function replace(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const mode = (await stat(target).catch(() => null))?.mode;
  await writeWhole(target, text);
  if (mode !== undefined) await chmod(target, mode);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
