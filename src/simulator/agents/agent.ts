/** A simulated trader. An agent is called in every step and acts when its own time is due. */
import type { AgentClient } from '../agent-client.ts';

export const AGENT_KINDS = [
  'maker',
  'rpi',
  'taker',
  'momentum',
  'reversion',
  'arbitrage',
  'retail',
  'tape',
] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

export interface Agent {
  readonly name: string;
  readonly kind: AgentKind;
  readonly uid: number;
  act(client: AgentClient, seconds: number): void;
}
