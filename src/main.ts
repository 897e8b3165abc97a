#!/usr/bin/env node
/** Starts the exchange. */
import { createRequire } from 'node:module';

createRequire(import.meta.url)('../launch.cjs').requireNode();
const { runProgram } = await import('./app/cli/command-line.ts');
const { startProgram } = await import('./app/cli/start.ts');

await runProgram(
  startProgram('npm start --', [
    'npm start                              exchange with demo accounts on http://127.0.0.1:8787, state in ./data',
    'npm start -- --port 0 --data /tmp/b1   any free port, another state',
    'npm start -- --memory                  nothing is kept when it stops',
    'npm start -- --no-demo --host 0.0.0.0  an empty exchange that other machines can reach',
  ]),
);
