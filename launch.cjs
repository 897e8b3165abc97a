#!/usr/bin/env node
'use strict';
/**
 * Runs a program of the project with a Node that can: `node launch.cjs [flags of Node] PROGRAM [arguments]`. In this
 * process where it can be, else in the place of it, else as a child that gets its signals and whose end it shares.
 */
const { spawn } = require('child_process');
const { constants } = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { keepCompiledCode } = require('./launch/compiled-code.cjs');
const { IS_INSTALLED, findNode, isAdmitted, whatIsMissing } = require('./launch/node-choice.cjs');
const { watchStarters } = require('./launch/starter-watch.cjs');

/** As in src/app/exit-codes.ts. */
const WRONG_USE = 2;
const CANNOT_START = 3;
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function launch(args) {
  const first = args.findIndex((arg) => arg[0] !== '-');
  if (first === -1) return tell('usage: node launch.cjs [flags of Node] PROGRAM [arguments]', WRONG_USE);
  const flags = args.slice(0, first);
  const program = args.slice(first);
  if (!isAdmitted(process.version)) runWith(findNode(), flags, program);
  else if (flags.length > 0) runWith(process.execPath, flags, program);
  else runHere(program);
}

function runHere(program) {
  const file = path.resolve(program[0]);
  process.argv = [process.execPath, file].concat(program.slice(1));
  watchStarters();
  keepCompiledCode();
  import(pathToFileURL(file).href).catch((error) => {
    // As if it had been the program from the beginning: told with its stack, code 1.
    setImmediate(() => {
      throw error;
    });
  });
}

function runWith(node, flags, program) {
  if (node === undefined) return tell(whatIsMissing(), CANNOT_START);
  const args = flags.concat(__filename, program);
  const folders = [path.dirname(node)].concat(process.env.PATH || []);
  const env = Object.assign({}, process.env, { PATH: folders.join(path.delimiter) });
  if (process.execve && process.platform !== 'win32') process.execve(node, [node].concat(args), env);
  const child = spawn(node, args, { stdio: 'inherit', env });
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const each of PASSED_ON) process.removeAllListeners(each);
    process.kill(process.pid, signal);
    // Where the first process of a container cannot end itself by a signal.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
  });
}

/** For programs that may be started without the launcher. */
function requireNode() {
  if (isAdmitted(process.version)) return keepCompiledCode();
  const found = findNode();
  const takers = IS_INSTALLED ? '"bourse" takes' : '"npm start" and "npm run bourse" take';
  const tooOld = `Node ${process.versions.node} is too old: ${takers} ${found} instead.`;
  tell(found === undefined ? whatIsMissing() : tooOld, CANNOT_START);
}

function tell(sentence, code) {
  process.stderr.write(`bourse: ${sentence}\n`);
  process.exit(code);
}

module.exports = { launch, requireNode };

if (require.main === module) launch(process.argv.slice(2));
