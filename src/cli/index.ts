#!/usr/bin/env node
import { runGasdesk } from './run.ts';

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runGasdesk(process.argv.slice(2), { env, stdin, stdout, stderr });
