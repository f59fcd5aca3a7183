import { z } from 'zod';
import { procedure } from './procedure.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()]);

const setting = z.strictObject({
  key: z.string(),
  value: value.describe('In force now'),
  next: value.nullable().describe('The value from the next start on, if it differs'),
  source: z.string().describe('A flag, an environment variable, the path of gasdesk.json, or default'),
  accepts: z.string(),
  change: z
    .enum(['now', 'restart', 'overridden', 'no'])
    .describe('Whether a change takes effect now or at the next start, or why the setting cannot be changed here'),
});

export const configProcedures = {
  'config.get': procedure({
    summary: 'List the settings of the service and the source of each',
    output: z.strictObject({ file: z.string().describe('Path of gasdesk.json'), settings: z.array(setting) }),
    errors: ['CONFIG_INVALID'],
  }),
  'config.set': procedure({
    summary: 'Change a setting permanently, in gasdesk.json',
    input: z.strictObject({
      key: z.string(),
      value: z
        .union([z.string(), z.number(), z.boolean()])
        .nullable()
        .describe("Text is converted to the setting's type; null: restores the default"),
    }),
    output: setting,
    errors: ['CONFIG_INVALID', 'CONFIG_OVERRIDDEN', 'CONFIG_NOT_CHANGEABLE', 'DATA_FOLDER_UNUSABLE'],
  }),
};
