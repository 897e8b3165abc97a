/** How the changes of a store come about: at once in a process that owns it, in one order with those of other nodes else. */

export interface ChangeOrder {
  /** Resolves when the change is kept, and, unless it is a trifle, when no node uses what was before. Throws IdentityUnavailable, IdentityInDoubt. */
  run<Result>(work: () => Result, isTrifle?: boolean): Promise<Result>;
  /** The key takes no passphrase until then, on any node; may be lost. */
  announceLock(apiKey: string, untilMs: number): void;
  /** Another node says so. */
  onLock(listener: (apiKey: string, untilMs: number) => void): void;
  close(): Promise<void>;
}

export const AT_ONCE: ChangeOrder = {
  run: async (work) => work(),
  announceLock: () => {},
  onLock: () => {},
  close: async () => {},
};
