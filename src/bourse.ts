#!/usr/bin/env node
/** Starts the command line. The compile cache stays between starts: most of a short command is compiling. */
import { createRequire, enableCompileCache } from 'node:module';

createRequire(import.meta.url)('../launch.cjs').requireNode();
enableCompileCache();
const { runProgram } = await import('./app/cli/command-line.ts');
const { FORMER_NAMES, program } = await import('./app/cli/bourse-program.ts');

await runProgram(program, FORMER_NAMES);
