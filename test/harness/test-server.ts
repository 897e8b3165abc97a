/**
 * The program in a process that ends with its test, spared what no test waits for. In front of the program and not loaded
 * with `--import`, because then each of its threads would load all of it too.
 */
import './parent-watchdog.ts';
import './cheap-passphrases.ts';
import './patient-disk.ts';
import './no-compiling-ahead.ts';

await import('../../src/main.ts');
