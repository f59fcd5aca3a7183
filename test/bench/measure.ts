import { type LoadPlan, type Traffic, drive } from './drive.ts';
import type { ServerProcess } from './server-process.ts';

/** What one server did under one load. */
export interface Figures {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Server CPU (user and system, all threads) per request. */
  readonly cpuMicros: number;
  readonly rssMB: number;
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;

/** The median and the 99th percentile of latencies, ms. */
export const p99Of = (latencies: readonly number[]): Pick<Figures, 'p50Ms' | 'p99Ms'> => {
  const sorted = latencies.toSorted((a, b) => a - b);
  return { p50Ms: round(percentile(sorted, 0.5), 2), p99Ms: round(percentile(sorted, 0.99), 2) };
};

/** Drives a server and reads what that cost it. */
export const measure = async (server: ServerProcess, traffic: Traffic, plan: LoadPlan): Promise<Figures> => {
  const before = server.usage();
  const driven = await drive(server.url, traffic, plan);
  const after = server.usage();
  return {
    requestsPerSecond: round(driven.requests / driven.seconds, 0),
    ...p99Of(driven.latencies),
    cpuMicros: round((after.cpuMicros - before.cpuMicros) / driven.requests, 0),
    rssMB: round(after.rssBytes / 1_000_000, 0),
  };
};

/** The desk's figures as shares of the floor's: what says something about the desk and little about the machine. */
export const ratios = (desk: Figures, floor: Figures): { requestsPerSecond: number; cpu: number } => ({
  requestsPerSecond: round(desk.requestsPerSecond / floor.requestsPerSecond, 2),
  cpu: round(desk.cpuMicros / floor.cpuMicros, 2),
});
