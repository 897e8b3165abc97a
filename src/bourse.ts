#!/usr/bin/env node
/** Starts the command line. */
import { createRequire } from 'node:module';

createRequire(import.meta.url)('../launch.cjs').requireNode();
const { runProgram } = await import('./app/cli/command-line.ts');
const { bourseProgram, FORMER_NAMES } = await import('./app/cli/bourse-program.ts');

await runProgram(bourseProgram(), FORMER_NAMES);
