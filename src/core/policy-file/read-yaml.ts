import { LineCounter, type Node, type Scalar, isAlias, isMap, isScalar, isSeq, parseAllDocuments } from 'yaml';
import { EngineError } from '../../shared/errors.ts';
import { JsonNumber, positiveDecimal } from '../../shared/schema/decimal.ts';
import type { PlacedError } from '../../shared/schema/parse.ts';

/** Maximum length of a policy file. A policy with 100 contracts takes a tenth of this. */
const MAX_CHARACTERS = 512 * 1024;
const DEEPEST = 40;
const TOO_DEEP = `A policy file is at most ${DEEPEST} levels deep.`;
const MAX_ERRORS = 20;

/** The values in a YAML text. Remembers their positions for errors. */
export interface YamlReading {
  readonly value: unknown;
  /** @throws EngineError `POLICY_FILE_INVALID`, which names the line and column of each error */
  readonly refuse: (errors: readonly PlacedError[]) => never;
}

interface Place {
  readonly offset: number;
  readonly children: Map<PropertyKey, Place>;
}

interface Misfit {
  readonly offset: number;
  readonly message: string;
}

const invalid = (errors: readonly string[]): EngineError =>
  new EngineError('POLICY_FILE_INVALID', errors[0], { errors: errors.slice(0, MAX_ERRORS) });

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * The value of an unquoted scalar: null, true, false, a number, or text. A number that a double cannot represent
 * exactly keeps its digits.
 */
const plainValue = (source: string): unknown => {
  if (source === '' || source === 'null' || source === '~') return null;
  if (source === 'true' || source === 'false') return source === 'true';
  if (!NUMBER.test(source)) return source;
  const value = Number(source);
  const isExact = value === 0 || positiveDecimal(String(Math.abs(value))) === positiveDecimal(source.replace('-', ''));
  return isExact ? value : new JsonNumber(source);
};

const offsetOf = (node: unknown, otherwise: number): number =>
  (node as Partial<Node> | null | undefined)?.range?.[0] ?? otherwise;

/** Reads the nodes of a document. Accepts only lists, fields and values: policy files need no other YAML features. */
const createReader = () => {
  const errors: Misfit[] = [];
  const error = (offset: number, message: string): null => {
    if (errors.length < MAX_ERRORS) errors.push({ offset, message });
    return null;
  };
  const keyOf = (key: unknown, offset: number): string => {
    const read_ = isScalar(key) && typeof key.value === 'string' ? key.value : undefined;
    if (read_ === undefined) error(offset, 'A field has a name, and no list or other fields in its place.');
    refuseMarks(key, offset);
    return read_ ?? '';
  };
  const refuseMarks = (node: unknown, offset: number): void => {
    const { anchor, tag } = (node ?? {}) as { anchor?: string; tag?: string };
    if (anchor !== undefined)
      error(offset, `Write the value out where it is used: a policy file has no anchor (&${anchor}).`);
    if (tag !== undefined) error(offset, `Leave out the tag ${tag}: a policy file has none.`);
  };
  const scalar = ({ value, type }: Scalar): unknown =>
    type === 'PLAIN' && typeof value === 'string' ? plainValue(value) : value;
  const read = (node: unknown, place: Place, depth = 0): unknown => {
    const { offset } = place;
    if (depth > DEEPEST) return error(offset, TOO_DEEP);
    if (isAlias(node)) return error(offset, `Write the value out: a policy file has no alias (*${node.source}).`);
    refuseMarks(node, offset);
    const child = (key: PropertyKey, of: unknown, at = offsetOf(of, offset)): unknown => {
      const inner = { offset: at, children: new Map() };
      place.children.set(key, inner);
      return read(of, inner, depth + 1);
    };
    if (isSeq(node)) return node.items.map((item, index) => child(index, item));
    if (!isMap(node)) return isScalar(node) ? scalar(node) : null;
    const fields = new Map<string, unknown>();
    for (const pair of node.items) {
      const at = offsetOf(pair.key, offset);
      const key = keyOf(pair.key, at);
      if (fields.has(key)) error(at, `The field "${key.slice(0, 100)}" is there twice. Keep one of them.`);
      // The error of a field points to its key, not to its value.
      fields.set(key, child(key, pair.value, at));
    }
    return Object.fromEntries(fields);
  };
  return { read, errors };
};

const placeAt = (root: Place, path: readonly PropertyKey[]): Place => {
  let place = root;
  for (const key of path) {
    const next = place.children.get(key);
    if (next === undefined) return place;
    place = next;
  }
  return place;
};

const pathText = (path: readonly PropertyKey[]): string =>
  path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`)).join('');

/**
 * Reads a YAML text with one document into plain values. Numbers that a double cannot represent exactly become {@link
 * JsonNumber}.
 * @throws EngineError `POLICY_FILE_INVALID`, which names line and column, for a text that is not YAML or that contains
 * what no policy file needs: anchors, aliases, tags, duplicate fields, several documents, more than 524,288 characters,
 * more than 40 levels
 */
export const readYaml = (text: string): YamlReading => {
  if (text.length > MAX_CHARACTERS) throw invalid(['A policy file has at most 524,288 characters.']);
  const lines = new LineCounter();
  const where = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };
  // The parser returns all scalars as text. `plainValue` then decides which are numbers, so that no double changes
  // them.
  const options = { lineCounter: lines, schema: 'failsafe', uniqueKeys: false, prettyErrors: false } as const;
  const [document, second] = [...parseAllDocuments(text, options)];
  const throwErrors = (found: readonly Misfit[]): never => {
    const inOrder = found.toSorted((a, b) => a.offset - b.offset);
    throw invalid(inOrder.map(({ offset, message }) => `${where(offset)}: ${message}`));
  };
  if (document === undefined) throw invalid(['The file is empty. A policy file begins with "version: 1".']);
  const syntaxErrors = document.errors.map(({ pos: [offset], code, message }) => ({
    offset,
    message: code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : message,
  }));
  if (syntaxErrors.length > 0) throwErrors(syntaxErrors);
  if (second !== undefined) throwErrors([{ offset: second.range[0], message: 'A policy file is one document.' }]);
  const { read, errors } = createReader();
  const root: Place = { offset: offsetOf(document.contents, 0), children: new Map() };
  const value = read(document.contents, root);
  if (errors.length > 0) throwErrors(errors);
  return {
    value,
    refuse: (placed) =>
      throwErrors(
        placed.map(({ path, message }) => ({
          offset: placeAt(root, path).offset,
          message: [pathText(path), message].filter((part) => part !== '').join(' '),
        })),
      ),
  };
};
