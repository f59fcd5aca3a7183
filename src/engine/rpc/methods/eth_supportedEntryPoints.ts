import { bundlerMethod } from '../bundler-method.ts';
import { exampleEntryPoint } from '../examples.ts';

export const ethSupportedEntryPoints = bundlerMethod({
  method: 'eth_supportedEntryPoints',
  summary: 'the EntryPoints of the bundler',
  example: { params: [], result: [exampleEntryPoint] },
});
