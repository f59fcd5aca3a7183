import { z } from 'zod';
import { procedure } from './procedure.ts';

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()]);

const setting = z.strictObject({
  key: z.string(),
  value: value.describe('In force now'),
  next: value.nullable().describe('What the next start takes, where that differs'),
  source: z.string().describe('A flag, a variable of the environment, the path of gasdesk.json, or default'),
  accepts: z.string(),
  change: z
    .enum(['now', 'restart', 'overridden', 'no'])
    .describe('Whether a change is in force at once or at the next start, or why it cannot be made from here'),
});

export const configProcedures = {
  'config.get': procedure({
    summary: 'List the settings of the service with where each comes from',
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
        .describe('Text is read as the type that the setting has; null: back to the default'),
    }),
    output: setting,
    errors: ['CONFIG_INVALID', 'CONFIG_OVERRIDDEN', 'CONFIG_NOT_CHANGEABLE', 'DATA_FOLDER_UNUSABLE'],
  }),
};
