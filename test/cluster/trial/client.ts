/** The clients of a trial, in a process of their own: what they write down is theirs whatever happens to the nodes. */
import { seededRandom } from '../../simulation/disk.ts';
import { CcxtWire } from './ccxt-wire.ts';
import type { ClientOrders, ClientSetup } from './clients.ts';
import { HttpWire } from './http-wire.ts';
import { NoteBook } from './notes.ts';
import { Session, type Wire } from './session.ts';
import { SocketWire } from './socket-wire.ts';

const {
  notes,
  accounts,
  httpSessions,
  pauseMs,
  seed,
  nodes: first,
} = JSON.parse(process.argv[2]!) as ClientSetup;
const book = new NoteBook(notes);
let nodes = first;
let isOver = false;
process.on('message', (orders: ClientOrders) => {
  nodes = orders.nodes ?? nodes;
  isOver ||= orders.stop === true;
});

const wires: [string, (keys: (typeof accounts)[number]) => Wire][] = [
  ...Array.from({ length: httpSessions }, (_, n): (typeof wires)[number] => [
    `h${n}`,
    (keys) => new HttpWire(keys),
  ]),
  ['c', (keys) => new CcxtWire(keys)],
  ['w', (keys) => new SocketWire(keys)],
];
const sessions = wires.map(([name, wireOf], n) => {
  const keys = accounts[n % accounts.length]!;
  const random = seededRandom(seed * 31 + n);
  return new Session({ name, keys, notes: book, nodes: () => nodes, wire: wireOf(keys), random }, n);
});
process.send!({ ready: true });
await Promise.all(sessions.map((session) => session.trade(() => isOver, pauseMs)));
process.exit(0);
