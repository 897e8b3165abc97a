/**
 * `npm run market-report`: is the market what it should be? Parts by name: `fast` an hour at sixty times real speed,
 * `real` ten minutes at real speed, `seed` the same market twice, `day` a day in a picture. All of them unless named.
 */
import { day } from './market-report/day.ts';
import { liveRun } from './market-report/live-run.ts';
import { sameSeed } from './market-report/same-seed.ts';
import { userOrders } from './market-report/user-orders.ts';
import { printConditions } from './report.ts';

interface Part {
  readonly title: string;
  readonly run: () => Promise<boolean>;
}

const PARTS: Readonly<Record<string, Part>> = {
  fast: {
    title: 'one hour at 60 times real speed, every logical second',
    run: () => liveRun({ clock: 'scaled:60', logicalSeconds: 3600, afterwards: userOrders }),
  },
  real: {
    title: 'ten minutes at real speed, every second',
    run: () => liveRun({ clock: 'wall', logicalSeconds: 600 }),
  },
  seed: { title: 'the same seed twice', run: sameSeed },
  day: { title: 'a day of two instruments', run: day },
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => PARTS[name] === undefined);
if (unknown.length > 0) {
  console.error(`No part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}.`);
  process.exit(1);
}
printConditions();
let good = true;
for (const [name, { title, run }] of Object.entries(PARTS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n## ${title}\n`);
  good = (await run()) && good;
}
process.exit(good ? 0 : 1);
