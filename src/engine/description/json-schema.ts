import { z } from 'zod';

export type Json = Record<string, unknown>;

const COMPONENTS = '#/components/schemas/';

/** Applies the metadata key `absent`, which lists what clients send for a missing value. */
const withAbsent = (described: Json): void => {
  const { absent, id, ...present } = described;
  if (!Array.isArray(absent)) return;
  for (const key of ['absent', ...Object.keys(present)]) Reflect.deleteProperty(described, key);
  Object.assign(described, { ...(id !== undefined && { id }), anyOf: [present, { enum: absent }] });
};

/**
 * Makes JSON Schemas (draft 2020-12) of inputs. A schema with an `id` is described once, in `components`, and
 * referenced from elsewhere.
 */
export const createDescriber = (): { readonly describe: (schema: z.ZodType) => Json; readonly components: Json } => {
  const components: Json = {};
  return {
    components,
    describe(schema) {
      const {
        $schema: _draft,
        $defs,
        ...description
      } = z.toJSONSchema(schema, {
        io: 'input',
        target: 'draft-2020-12',
        unrepresentable: 'any',
        override: ({ path, jsonSchema: described }) => {
          // The service uses a string of digits, but this interface uses a JSON number.
          if (path.at(-1) === 'threshold' && described.type === 'string') described.type = 'number';
          withAbsent(described);
        },
      }) as Json;
      const referring = (part: unknown): Json =>
        JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', `"${COMPONENTS}`)) as Json;
      const keep = (name: string, { id: _id, ...component }: Json): void => {
        components[name] = component;
      };
      for (const [name, part] of Object.entries($defs ?? {})) keep(name, referring(part));
      const { id } = description;
      if (typeof id !== 'string') return referring(description);
      keep(id, referring(description));
      return { $ref: COMPONENTS + id };
    },
  };
};
