/**
 * `npm start` and `npm run bourse` without npm, whose own start costs more than most commands, and without a process for each
 * command: for a document with dozens of them. The shell has its output and exit code as from a process. That npm itself leads
 * to the programs is tested elsewhere (`commands.docs.ts`, `test/app/endings.faults.ts`), and that commands are processes that
 * end in `test/app/command-line.test.ts`.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { hostedCommandIn } from '../harness/hosted-command.ts';
import { programModule } from '../harness/program.ts';
import { temporaryDirectory } from '../harness/temporary-directory.ts';
import { ROOT } from './blocks.ts';

/** What is started in the place of a source: a server without what no test waits for. */
const STARTED: Readonly<Record<string, string>> = { 'src/main.ts': 'test/harness/test-server.ts' };

/** They start other programs, whose output is theirs. */
const PROCESSES = ['lab replay', 'cluster trial'];

/**
 * The PATH on which the stand-in comes first; its scripts are those of package.json and find what npm lets them find, with
 * the programs that the run of the tests has (`harness/program.ts`).
 */
export async function pathWithStandIn(): Promise<string> {
  const directory = temporaryDirectory();
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const scriptOf = (name: string) =>
    scripts[name].replace(/src\/\S+/, (source: string) => programModule(STARTED[source] ?? source));
  const port = await commandServer(directory);
  const text = `#!/bin/bash
[ "$1" = run ] && shift
[ "$1" = -s ] && shift
name=$1
shift
[ "$1" = -- ] && shift
case "$name $1 $2" in
  start*) exec ${scriptOf('start')} "$@" ;;
${PROCESSES.map((words) => `  'bourse ${words}') exec ${scriptOf('bourse')} "$@" ;;`).join('\n')}
  bourse*) ;;
  *) echo "no script $name here" >&2; exit 1 ;;
esac
exec 3<>/dev/tcp/127.0.0.1/${port} || exit 1
{
  printf '%s\\0' "$PWD" "$#" "$@"
  compgen -e | while read -r variable; do printf '%s\\0' "$variable=\${!variable}"; done
  printf '\\0'
} >&3
read -r code told <&3
IFS= read -r -d '' text < "$told.err"
printf %s "$text" >&2
IFS= read -r -d '' text < "$told.out"
printf %s "$text"
exit "$code"
`;
  writeFileSync(join(directory, 'npm'), text, { mode: 0o755 });
  return [directory, join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter);
}

/** Runs commands for the stand-in; what one has written is told in two files of the directory. */
async function commandServer(directory: string): Promise<number> {
  let commands = 0;
  const server = createServer((socket) => {
    commands += 1;
    const told = join(directory, `command-${commands}`);
    let request = '';
    // A shell may be ended with its test.
    socket.on('error', () => socket.destroy());
    socket.setEncoding('utf8').on('data', (text: string) => {
      request += text;
      const asked = readRequest(request);
      if (asked !== undefined) void carryOut(asked, told).then((code) => socket.end(`${code} ${told}\n`));
    });
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

interface Asked {
  readonly args: readonly string[];
  readonly place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> };
}

/** Directory, number of arguments, arguments, variables and an empty text, each with a zero behind it. */
function readRequest(request: string): Asked | undefined {
  const [cwd, count, ...rest] = request.split('\0').slice(0, -1);
  const args = rest.slice(0, Number(count));
  const variables = rest.slice(Number(count));
  if (variables.at(-1) !== '') return undefined;
  const env = Object.fromEntries(variables.slice(0, -1).map(nameAndValue));
  return { args, place: { cwd: cwd!, env } };
}

function nameAndValue(variable: string): [string, string] {
  const at = variable.indexOf('=');
  return [variable.slice(0, at), variable.slice(at + 1)];
}

async function carryOut({ args, place }: Asked, told: string): Promise<number> {
  const { code, stdout, stderr } = await hostedCommandIn(place, args).catch((error: Error) => ({
    code: 1,
    stdout: '',
    stderr: `${error.message}\n`,
  }));
  writeFileSync(`${told}.out`, stdout);
  writeFileSync(`${told}.err`, stderr);
  return code ?? 1;
}
