import { command } from './command.ts';
import { printLine } from './terminal.ts';

/** `gasdesk openapi`. Always prints JSON, because that is the format of the description. */
export const openapiCommand = command('openapi', 'Print the OpenAPI description of the service').action(async () => {
  const { openApiDocument } = await import('../engine/description/openapi.ts');
  printLine(JSON.stringify(openApiDocument(), null, 2));
});
