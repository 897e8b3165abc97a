/**
 * The settings by name, as a configuration file has them (`settings.ts` describes each). It imports nothing: its
 * declarations are published alone (`bourse/config`).
 */
export interface Config {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly trustedProxies: readonly string[];
  /** Host names under which both servers respond, beside addresses, localhost and names without a dot. */
  readonly allowedHosts: readonly string[];
  /** Origins of other hosts whose pages may open streams. */
  readonly allowedOrigins: readonly string[];
  readonly rateLimits: 'on' | 'off';
  readonly errorDialect: 'v3' | 'classic';
  /** Is a signed request rejected that was sent before? */
  readonly rejectReplays: boolean;
  /** May operators take snapshots, go back to them and fork? */
  readonly lab: 'on' | 'off';
  readonly labSnapshots: number;
  /** MiB of all snapshots; 0 for 1,024 in memory and 10,240 on disk. */
  readonly labSpace: number;
  readonly labForks: number;
  /** Are the last requests of every account kept in memory and shown to it? */
  readonly inspect: 'on' | 'off';
  /** Is there a listener for operators? */
  readonly operator: boolean;
  readonly operatorHost: string;
  /** 0 takes any free port. */
  readonly operatorPort: number;
  /** Empty for the file in the data directory. */
  readonly operatorTokenFile: string;
  /** Dollars of the house's exposure from which on the exchange warns: `figure=dollars`, `figure:COIN=dollars`. */
  readonly exposureLimits: readonly string[];
  readonly data: string;
  /** `sqlite`, or the URL of a PostgreSQL database; empty for where it is already. */
  readonly history: string;
  /** The database of the cluster that this process is a node of; empty for an exchange of one machine. */
  readonly cluster: string;
  /** Name of the node; no other node of the cluster has it. */
  readonly node: string;
  /** Folder of the secrets that all nodes have. */
  readonly keys: string;
  /** What keeps a commit safe when a machine is lost: a standby, the storage of a service, or nothing. */
  readonly clusterDurability: 'standby' | 'service' | 'single';
  /** A scribe serves no clients: it writes history and snapshots. */
  readonly role: 'node' | 'scribe';
  /** Nothing is kept beyond the process: no data directory, no threads. */
  readonly memory: boolean;
  readonly clock: 'wall' | 'manual' | 'driven' | `scaled:${number}`;
  /** Start of a new exchange's time; 0 for now. */
  readonly clockStart: number;
  readonly demo: boolean;
  /** Who may reach demo accounts: this machine, or, for a container, private addresses too. */
  readonly demoReach: 'loopback' | 'container';
  readonly catalogue: string;
  /** Instruments of the catalogue to list, as `SYMBOL` or `CATEGORY:SYMBOL`; empty for all. */
  readonly instruments: readonly string[];
  readonly market: 'off' | 'quiet' | 'normal' | 'wild';
  readonly feed: 'synthetic' | `replay:${string}` | `live:${string}`;
  /** What is replayed of a file: its prices, its trades too, or its order books. */
  readonly depth: 'price' | 'tape' | 'book';
  /** `FORMAT` or `FORMAT:PAIR` of a replayed file; empty to find it by the first line. */
  readonly as: string;
  /** Rows of a replayed file that may be wrong and are left out. */
  readonly skipBad: number;
  readonly seed: number;
  /** Days of candles to generate at the first start; 0 = none. */
  readonly backfill: number;
  readonly segmentBytes: number;
  readonly snapshotCommands: number;
  readonly snapshotMinutes: number;
  /** MiB; 0 = what the machine or its container has. */
  readonly memoryLimit: number;
  /** Seconds between the notice to streams and a stop. */
  readonly stopNotice: number;
  readonly acceptHistoryGap: boolean;
  readonly acceptIdentityGap: boolean;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly logFormat: 'auto' | 'pretty' | 'json';
  readonly quiet: boolean;
  /** Written when the exchange is ready; empty for none. */
  readonly readyFile: string;
  readonly color: 'always' | 'never' | 'auto';
}
