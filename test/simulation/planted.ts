import { plant } from './plant.ts';

/**
 * Plays seeds with a planted fault until one fails: `node planted.ts FAULT SECONDS`. Prints how many, and what the last
 * one found, as JSON. A process of its own, because the fault stays in what it has loaded.
 */
const [, , name = '', seconds = '60'] = process.argv;
plant(name);
const { failureCode, playScenario, scenarioOf } = await import('./scenario.ts');

/** Seconds of a processor, so that a busy machine finds as much. */
const past = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
/** World time of a seed: many short ones find more than few long ones. */
const MOST_MINUTES = 4;
let seeds = 0;
let found: string | null = null;
while (found === null && past() < Number(seconds)) {
  seeds += 1;
  const scenario = scenarioOf(String(seeds));
  const { failure } = await playScenario({ ...scenario, minutes: Math.min(MOST_MINUTES, scenario.minutes) });
  if (failure !== undefined) found = failureCode(failure);
}
console.log(JSON.stringify({ seeds, found, seconds: Math.round(past()) }));
