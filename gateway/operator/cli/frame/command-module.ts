import type { Command } from 'commander';
import type { NodePorts } from '../../../node/node-options.ts';

export interface CommandContext {
  /** The module that the launcher starts as the process of every node. */
  readonly entry: string;
  /** What this build of the command replaces or adds in its nodes. */
  readonly ports: NodePorts;
}

export interface CommandModule {
  /** Every command that the module adds. */
  readonly names: readonly string[];
  readonly load: () => Promise<(program: Command, context: CommandContext) => void>;
}
