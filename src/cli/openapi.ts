import { command } from './command.ts';
import { printLine } from './terminal.ts';

/** `gasdesk openapi`: always JSON, the form of the description. */
export const openapiCommand = command('openapi', 'Print the OpenAPI description of the service').action(async () => {
  const { openApiDocument } = await import('../engine/description/openapi.ts');
  printLine(JSON.stringify(openApiDocument(), null, 2));
});
