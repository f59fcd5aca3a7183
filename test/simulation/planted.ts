import { plant } from './plant.ts';

/**
 * Plays seeds with a planted fault until one fails: `node planted.ts FAULT SECONDS`. Prints the seed and what it found
 * as JSON, or null. A process of its own, because the fault stays in what it has loaded.
 */
const [, , name = '', seconds = '60'] = process.argv;
plant(name);
const { failureCode, playScenario, scenarioOf } = await import('./scenario.ts');

/** Seconds of a processor, so that a busy machine finds as much. */
const past = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
let found: object | null = null;
for (let seed = 1; found === null && past() < Number(seconds); seed += 1) {
  const { failure } = await playScenario(scenarioOf(String(seed)));
  if (failure !== undefined) found = { seed, found: failureCode(failure), seconds: Math.round(past()) };
}
console.log(JSON.stringify(found));
