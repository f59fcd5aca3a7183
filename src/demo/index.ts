import { parseArgs } from 'node:util';
import { runDemo } from './run-demo.ts';

const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } });

try {
  await runDemo(values);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
