#!/usr/bin/env node
/** Starts the exchange. The compile cache stays between starts, for its threads too: most of a start is compiling. */
import { createRequire, enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

createRequire(import.meta.url)('../launch.cjs').requireNode();
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
enableCompileCache(process.env.NODE_COMPILE_CACHE);
const { runProgram } = await import('./app/cli/command-line.ts');
const { startCommand } = await import('./app/cli/start.ts');

await runProgram(
  startCommand('npm start --', [
    'npm start                              exchange with demo accounts on http://127.0.0.1:8787, state in ./data',
    'npm start -- --port 0 --data /tmp/b1   any free port, another state',
    'npm start -- --no-demo --host 0.0.0.0  an empty exchange that other machines can reach',
  ]),
);
