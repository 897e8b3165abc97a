#!/usr/bin/env node
'use strict';
/** `bourse`, the command line, where this package is installed. */
const { existsSync } = require('fs');
const path = require('path');
const { launch } = require('./launch.cjs');

const program = path.join(__dirname, 'src/bourse');
// The published package is compiled.
launch([program + (existsSync(`${program}.ts`) ? '.ts' : '.js')].concat(process.argv.slice(2)));
