import { type Dialect, type Subject, subjects } from '../operator-changes.ts';

const dialect: Dialect = {
  json: (column) => `${column}::json`,
  field: (column, name) => `${column}::json -> '${name}'`,
  fingerprint: (column) => `left(encode(sha256(convert_to(${column}, 'UTF8')), 'hex'), 8)`,
};

const objectOf = (values: Readonly<Record<string, string>>): string =>
  `json_build_object(${Object.entries(values)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})::text`;

/**
 * A trigger that stores every change in the transaction that makes it, if the transaction names the call. Other tools
 * need not name a call.
 */
const triggerOf = ({ table, subject, id, values }: Subject): string => `
  CREATE OR REPLACE FUNCTION keep_change_of_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    of_call text := current_setting('gasdesk.call', true);
    was text := CASE WHEN TG_OP <> 'INSERT' THEN ${objectOf(values('old', dialect))} END;
    is_now text := CASE WHEN TG_OP <> 'DELETE' THEN ${objectOf(values('new', dialect))} END;
  BEGIN
    IF of_call <> '' AND was IS DISTINCT FROM is_now THEN
      INSERT INTO operator_change (call, subject, id, before, after) VALUES (
        of_call, '${subject}', CASE WHEN TG_OP = 'DELETE' THEN (${id('old')})::text ELSE (${id('new')})::text END, was, is_now);
    END IF;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER keep_change AFTER INSERT OR UPDATE OR DELETE ON ${table}
    FOR EACH ROW EXECUTE FUNCTION keep_change_of_${table}();`;

/** SQL of the triggers. They are created again whenever the database is opened, so that they match the code. */
export const changeTriggers: string = subjects.map(triggerOf).join('\n');
