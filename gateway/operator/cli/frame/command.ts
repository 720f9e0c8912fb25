/**
 * The one form of a command of `troupe`: its name, arguments and options, what it runs, and how it prints the answer;
 * with `--json` the answer itself. What a command is given is typed by the declaration, and parsed before it runs.
 */
import type { Command } from 'commander';
import type { NodePorts } from '../../../node/node-options.ts';
import { print } from './print.ts';

/** The options of every command. */
export interface GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
}

export interface CommandContext {
  /** The module that the launcher starts as the process of every node. */
  readonly entry: string;
  /** What this build of the command replaces or adds in its nodes. */
  readonly ports: NodePorts;
}

/** A command, or a group of commands, that can be added to the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

export interface CommandModule {
  /** Every command that the module adds. */
  readonly names: readonly string[];
  readonly load: () => Promise<AddCommand>;
}

/** The words of the help alone, or with what is known of the value. */
type Meaning =
  | string
  | {
      readonly meaning: string;
      readonly parse?: (text: string) => unknown;
      readonly default?: string;
      readonly required?: true;
      readonly choices?: readonly string[];
    };

/** By `<name>`, or `[name]` for one that may be left out; by the flags of an option, such as `--limit <usd>`. */
export type Meanings = Readonly<Record<string, Meaning>>;

type ValueOf<M> = M extends { readonly parse: (text: string) => infer T }
  ? T
  : M extends { readonly choices: readonly (infer C)[] }
    ? C
    : string;
type Present = { readonly required: true } | { readonly default: string };
type Absence<M> = M extends Present ? never : undefined;
type NameOf<F> = F extends `<${infer N}>` | `[${infer N}]` ? N : never;
type ArgumentOf<F, M> = ValueOf<M> | (F extends `[${string}` ? Absence<M> : never);
type Camel<S> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type LongOf<F> = F extends `-${string}, --${infer L}` | `--no-${infer L}` ? L : F extends `--${infer L}` ? L : never;
type OptionNameOf<F> = LongOf<F> extends `${infer N} ${string}` ? Camel<N> : Camel<LongOf<F>>;
type OptionOf<F, M> = F extends `${string}...>`
  ? readonly string[] | undefined
  : F extends `${string}<${string}`
    ? ValueOf<M> | Absence<M>
    : boolean | (F extends `--no-${string}` ? never : undefined);

/** What a command with these arguments and options is given, by their names. */
export type Given<A, O> = GlobalOptions & { readonly [F in keyof A as NameOf<F>]: ArgumentOf<F, A[F]> } & {
  readonly [F in keyof O as OptionNameOf<F> & string]: OptionOf<F, O[F]>;
};

export interface Parts<A extends Meanings, O extends Meanings, T> {
  readonly arguments?: A;
  readonly options?: O;
  /** Stands below the help. */
  readonly help?: string;
  /** What `--json` prints in place of the answer. */
  readonly json?: (answer: Exclude<T, undefined>, given: Given<A, O>) => unknown;
  /** Left out by a command that writes its output itself, as by one that answers undefined. */
  readonly print?: (answer: Exclude<T, undefined>, given: Given<A, O>) => string;
  /** Printed on standard error, so that `--json` stays one document. */
  readonly warnings?: (answer: Exclude<T, undefined>, given: Given<A, O>) => readonly string[];
}

interface Local<A extends Meanings, O extends Meanings, T> extends Parts<A, O, T> {
  readonly run: (given: Given<A, O>, context: CommandContext) => T | Promise<T>;
}

/** A command that needs no connection to a running cluster, or opens its own. */
export function local<const A extends Meanings, const O extends Meanings, T>(
  name: string,
  description: string,
  parts: Local<A, O, T>,
): AddCommand {
  return (program, context) => {
    const made = program.command(name).description(description);
    for (const [flags, meaning] of Object.entries(parts.arguments ?? {})) {
      const argument = made.createArgument(flags, wordsOf(meaning));
      if (typeof meaning === 'object') refine(argument, meaning);
      made.addArgument(argument);
    }
    for (const [flags, meaning] of Object.entries(parts.options ?? {})) {
      const option = made.createOption(flags, wordsOf(meaning));
      if (typeof meaning === 'object') refine(option, meaning).makeOptionMandatory(meaning.required === true);
      made.addOption(option);
    }
    if (parts.help !== undefined) made.addHelpText('after', parts.help);
    made.action(async () => {
      const given = givenTo(made) as unknown as Given<A, O>;
      const answer = await parts.run(given, context);
      if (answer !== undefined) show(parts, given, answer as Exclude<T, undefined>);
    });
  };
}

/** Commands below one name. */
export function group(name: string, description: string, commands: readonly AddCommand[], help = ''): AddCommand {
  return (program, context) => {
    const made = program.command(name).description(description).addHelpText('after', help);
    for (const add of commands) add(made, context);
  };
}

function wordsOf(meaning: Meaning): string {
  return typeof meaning === 'string' ? meaning : meaning.meaning;
}

interface Refined {
  choices(values: readonly string[]): unknown;
  argParser(parse: (text: string) => unknown): unknown;
  default(value: unknown, shown: string): unknown;
}

function refine<R extends Refined>(one: R, { parse, choices, default: usual }: Exclude<Meaning, string>): R {
  if (choices !== undefined) one.choices(choices);
  if (parse !== undefined) one.argParser((text) => parse(text));
  if (usual !== undefined) one.default(parse?.(usual) ?? usual, JSON.stringify(usual));
  return one;
}

function givenTo(made: Command): object {
  const named = made.registeredArguments.map((argument, nth) => [argument.name(), made.processedArgs[nth]]);
  return { ...made.optsWithGlobals(), ...Object.fromEntries(named) };
}

function show<A extends Meanings, O extends Meanings, T>(
  { json, print: render, warnings }: Parts<A, O, T>,
  given: Given<A, O>,
  answer: Exclude<T, undefined>,
): void {
  if (render === undefined) return;
  print(given, json === undefined ? answer : json(answer, given), () => render(answer, given));
  for (const warning of warnings?.(answer, given) ?? []) process.stderr.write(`troupe: warning: ${warning}\n`);
}
