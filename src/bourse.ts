#!/usr/bin/env node
/** Starts the command line. */
import { createRequire } from 'node:module';

createRequire(import.meta.url)('../launch.cjs').requireNode();
const { runProgram } = await import('./app/cli/command-line.ts');
const { bourseProgram, FIRST_COMMAND, FORMER_NAMES } = await import('./app/cli/bourse-program.ts');

await runProgram(bourseProgram(), { formerNames: FORMER_NAMES, firstCommand: FIRST_COMMAND });
