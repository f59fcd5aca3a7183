import { z } from 'zod';
import { EngineError } from '../errors.ts';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'a boolean value',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  nonoptional: 'given',
};

/** Types that have a size. All other types have a length. */
const NUMBERS: ReadonlySet<string> = new Set(['number', 'int', 'bigint']);

/** Creates a message for an issue that has none. It says what the field must be, in the style of class-validator. */
const wording = (issue: RawIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of: ${issue.values.map(String).join(', ')}`;
    case 'too_big':
      if (NUMBERS.has(issue.origin))
        return `must be ${issue.inclusive === false ? 'below' : 'at most'} ${String(issue.maximum)}`;
      return `must have at most ${String(issue.maximum)} ${issue.origin === 'array' ? 'items' : 'characters'}`;
    case 'too_small':
      if (NUMBERS.has(issue.origin))
        return `must be ${issue.inclusive === false ? 'above' : 'at least'} ${String(issue.minimum)}`;
      return 'should not be empty';
    case 'unrecognized_keys':
      return 'should not exist';
    case 'invalid_union':
      return Array.isArray(issue.options) ? `must be one of: ${issue.options.join(', ')}` : 'is not valid';
    default:
      return 'is not valid';
  }
};

const keyName = (key: PropertyKey): string => (key === '' ? '""' : String(key));

const pathName = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((name, key) => {
    if (typeof key === 'number') return `${name}[${key}]`;
    return name === '' ? keyName(key) : `${name}.${keyName(key)}`;
  }, '');

/** Shortens names before they are repeated in a message, because they may be hostile. */
const shorten = (name: string): string => (name.length > 100 ? `${name.slice(0, 100)}…` : name);

/** Maximum number of errors that are reported, because a value may have thousands. */
const MAX_ERRORS = 20;

const sentencesOf = (issues: readonly z.core.$ZodIssue[], root: string): string[] =>
  issues.slice(0, MAX_ERRORS).flatMap((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, MAX_ERRORS) : undefined;
    const paths = keys?.map((key) => [...issue.path, key]) ?? [issue.path];
    return paths.map((path) => {
      // Messages name the field that the caller sent, without the wrapper `policyData`, because clients rely on these
      // messages.
      const named = pathName(path[0] === 'policyData' && path.length > 1 ? path.slice(1) : path);
      const field =
        root === '' ? named || 'body' : named === '' || named.startsWith('[') ? root + named : `${root}.${named}`;
      const text = issue.code === 'unrecognized_keys' ? 'should not exist' : issue.message;
      return `${shorten(field)} ${text}`;
    });
  });

/** The issues without the size of values that were refused for their type. */
const withoutSizes = (issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] => {
  if (!issues.some(({ code }) => code === 'too_big')) return issues;
  const places = issues.flatMap(({ code, path }) => (code === 'invalid_type' ? [pathName(path)] : []));
  const ofWrongType = new Set(places);
  return issues.filter(({ code, path }) => code !== 'too_big' || !ofWrongType.has(pathName(path)));
};

const issuesOf = (
  schema: z.ZodType,
  value: unknown,
  found = schema.safeParse(value, { error: wording }).error?.issues ?? [],
): readonly z.core.$ZodIssue[] => {
  const issues = withoutSizes(found);
  const [unnamed] = issues;
  return unnamed?.code === 'invalid_union' && schema instanceof z.ZodDiscriminatedUnion
    ? commonIssues(schema, value, unnamed)
    : issues;
};

/**
 * The issue of a discriminator that matches no option of a union, together with the issues that all options share, in
 * field order.
 */
const commonIssues = (
  union: z.ZodDiscriminatedUnion,
  value: unknown,
  unnamed: z.core.$ZodIssue,
): readonly z.core.$ZodIssue[] => {
  const texts = (issue: z.core.$ZodIssue): string => sentencesOf([issue], '').join();
  const [first = [], ...others] = union.options.map((option) => issuesOf(option as z.ZodType, value));
  return first.flatMap((issue) => {
    if (issue.path[0] === union.def.discriminator) return [unnamed];
    return others.every((issues) => issues.some((other) => texts(other) === texts(issue))) ? [issue] : [];
  });
};

export interface PlacedError {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Parses untrusted data with a schema. Reports up to 20 errors and where they are. */
export const readBy = <S extends z.ZodType>(
  schema: S,
  value: unknown,
): { readonly data: z.output<S> } | { readonly errors: readonly PlacedError[] } => {
  const result = schema.safeParse(value, { error: wording });
  if (result.success) return { data: result.data };
  const placed = issuesOf(schema, value, result.error.issues).flatMap(({ path, message, ...issue }): PlacedError[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...path, key], message }))
      : [{ path, message }],
  );
  return { errors: placed.slice(0, MAX_ERRORS) };
};

/**
 * Parses untrusted data with a schema.
 *
 * @param root prefix of each field's name, e.g. `params[0]`
 * @throws {@link EngineError} `VALIDATION`; its message is the first error, and `data.errors` contains up to 20 of them.
 * If all errors are of unknown fields, `data.fields` contains those that exist in the place of the first
 */
export const parse = <S extends z.ZodType>(schema: S, value: unknown, root = ''): z.output<S> => {
  let fields: string[] | undefined;
  const error = (issue: RawIssue): string => {
    const { code, inst } = issue;
    if (code === 'unrecognized_keys' && inst instanceof z.ZodObject) fields ??= Object.keys(inst.shape);
    return wording(issue);
  };
  const result = schema.safeParse(value, { error });
  if (result.success) return result.data;
  const issues = issuesOf(schema, value, result.error.issues);
  const errors = sentencesOf(issues, root).slice(0, MAX_ERRORS);
  // Errors of other kinds name the fields themselves.
  const isUnknownOnly = issues.every(({ code }) => code === 'unrecognized_keys');
  throw new EngineError('VALIDATION', errors[0], { errors, ...(isUnknownOnly && fields && { fields }) });
};
