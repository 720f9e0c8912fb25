/** The `troupe` command, and the process of every node. */
import { fileURLToPath } from 'node:url';
import { runProgram } from './program.ts';

void runProgram(fileURLToPath(import.meta.url));
