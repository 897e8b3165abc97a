#!/usr/bin/env node
import { describedProgram, runProgram } from './operation/command-line.ts';
import { configCommand } from './operation/config-command.ts';
import { verifyCommand } from './operation/verify-command.ts';

await runProgram(
  describedProgram('bourse', 'Tools for an exchange that `npm start` runs.', [
    'npm run bourse -- verify             prove the exchange in ./data',
    'npm run bourse -- config --explain   show each setting and where it came from',
  ])
    .addCommand(verifyCommand())
    .addCommand(configCommand()),
);
