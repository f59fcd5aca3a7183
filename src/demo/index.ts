import { parseArgs } from 'node:util';
import { runDemo } from './run-demo.ts';

try {
  await runDemo(parseArgs({ options: { once: { type: 'boolean', default: false } } }).values);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
