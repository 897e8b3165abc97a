/** Whoever trades for the house. An agent looks at every wake-up and acts when its own time has come. */
import type { AgentClient } from '../agent-client.ts';

export const AGENT_KINDS = ['maker', 'rpi', 'taker', 'momentum', 'reversion', 'arbitrage', 'retail'] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

export interface Agent {
  readonly name: string;
  readonly kind: AgentKind;
  readonly uid: number;
  act(client: AgentClient, seconds: number): void;
}
