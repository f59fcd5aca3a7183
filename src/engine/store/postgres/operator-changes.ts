import { recordedChanges } from '../operator-changes.ts';

/**
 * SQL of triggers that store every change in the transaction that makes it, if the transaction names the call. Other
 * tools need not name a call. They are created again whenever the database is opened, so that they match the code.
 */
export const changeTriggers: string = recordedChanges('json_build_object')
  .map(
    ({ table, subject, id, values }) => `
  CREATE OR REPLACE FUNCTION keep_change_of_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    of_call text := current_setting('gasdesk.call', true);
    was text := CASE WHEN TG_OP <> 'INSERT' THEN ${values('old')}::text END;
    is_now text := CASE WHEN TG_OP <> 'DELETE' THEN ${values('new')}::text END;
  BEGIN
    IF of_call <> '' AND was IS DISTINCT FROM is_now THEN
      INSERT INTO operator_change (call, subject, id, before, after) VALUES (
        of_call, '${subject}', CASE WHEN TG_OP = 'DELETE' THEN (${id('old')})::text ELSE (${id('new')})::text END, was, is_now);
    END IF;
    RETURN NULL;
  END $$;
  CREATE OR REPLACE TRIGGER keep_change AFTER INSERT OR UPDATE OR DELETE ON ${table}
    FOR EACH ROW EXECUTE FUNCTION keep_change_of_${table}();`,
  )
  .join('\n');
