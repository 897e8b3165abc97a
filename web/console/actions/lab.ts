/** The laboratory: snapshots, forks, time and faults. */
import { type Action, filled, isInstant, option } from './action.ts';

const name = { name: 'name', label: 'Snapshot', hint: 'such as before-crash' } as const;
/** A document of one line, or nothing. */
const parsed = (text: string | undefined): unknown => (text ? JSON.parse(text) : undefined);

export const labActions = {
  saveSnapshot: {
    title: 'Take a snapshot',
    note: 'State, history, keys and time as they are now. It is never used up.',
    fields: [
      { ...name, optional: true },
      { name: 'note', label: 'Note', optional: true },
    ],
    request: (v) => ({ method: 'POST', path: '/lab/snapshots', body: filled(v, ['name', 'note']) }),
    command: (v) => ['lab', 'snapshot', 'save', ...(v.name ? [v.name] : []), ...option('--note', v.note)],
  },
  deleteSnapshot: {
    title: 'Delete a snapshot',
    note: 'Branches that began with it go on.',
    fields: [name],
    request: (v) => ({ method: 'DELETE', path: `/lab/snapshots/${encodeURIComponent(v.name ?? '')}` }),
    command: (v) => ['lab', 'snapshot', 'delete', v.name!],
    typed: (v) => v.name,
  },
  revert: {
    title: 'Go back to a snapshot',
    note: 'Orders, money, records, keys and time are those of the snapshot. What is left stays as a branch.',
    fields: [name],
    request: (v) => ({ method: 'POST', path: '/lab/revert', body: { to: v.name } }),
    command: (v) => ['lab', 'revert', v.name!],
    typed: (v) => v.name,
  },
  fork: {
    title: 'Fork the exchange',
    note: 'A second exchange that goes on from a snapshot, or from now. It ends with this one.',
    fields: [{ ...name, optional: true, hint: 'now' }],
    request: (v) => ({ method: 'POST', path: '/lab/forks', body: v.name ? { from: v.name } : {} }),
    command: (v) => ['lab', 'fork', ...(v.name ? [v.name] : [])],
  },
  endFork: {
    title: 'End a fork',
    fields: [{ name: 'id', label: 'Fork' }],
    request: (v) => ({ method: 'DELETE', path: `/lab/forks/${encodeURIComponent(v.id ?? '')}` }),
    command: (v) => ['lab', 'fork', '--end', v.id!],
    typed: (v) => v.id,
  },
  advanceLabClock: {
    title: 'Move time',
    note: 'A manual clock; funding, candles and expiries on the way happen at their instants.',
    fields: [
      { name: 'span', label: 'By, or up to', first: '1h', hint: 'such as 8h, or 2026-06-26T08:00:00Z' },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/lab/clock/advance',
      body: { [isInstant(v.span!) ? 'to' : 'by']: v.span },
    }),
    command: (v) => ['lab', 'clock', 'advance', v.span!],
  },
  advanceToNext: {
    title: 'Move time to what is due next',
    note: 'A manual clock.',
    fields: [
      { name: 'next', label: 'Next', options: ['funding', 'interest', 'delivery', 'any', 'candle:1H'] },
    ],
    request: (v) => ({ method: 'POST', path: '/lab/clock/advance', body: { next: v.next } }),
    command: (v) => ['lab', 'clock', 'advance', '--next', v.next!],
  },
  setClock: {
    title: 'Change the clock',
    note: 'It goes on from the present time of the exchange, never backwards.',
    fields: [{ name: 'clock', label: 'Clock', first: 'manual', hint: 'wall, manual or scaled:60' }],
    request: (v) => ({ method: 'POST', path: '/lab/clock/mode', body: { clock: v.clock } }),
    command: (v) => ['lab', 'clock', 'mode', v.clock!],
  },
  addFault: {
    title: 'Add a fault',
    note: 'What happens, and to which requests; docs/lab.md has the table.',
    fields: [
      { name: 'do', label: 'Do', json: true, first: '{"drop":"after"}' },
      { name: 'when', label: 'When', json: true, first: '{"path":"trade/place-order","times":1}' },
    ],
    request: (v) => ({
      method: 'POST',
      path: '/lab/faults',
      body: { do: parsed(v.do), when: parsed(v.when) },
    }),
    command: (v) => ['lab', 'fault', 'add', v.do!, '--when', v.when!],
  },
  removeFault: {
    title: 'Remove a fault',
    fields: [{ name: 'id', label: 'Fault' }],
    request: (v) => ({ method: 'DELETE', path: `/lab/faults/${encodeURIComponent(v.id ?? '')}` }),
    command: (v) => ['lab', 'fault', 'remove', v.id!],
  },
} as const satisfies Readonly<Record<string, Action>>;
