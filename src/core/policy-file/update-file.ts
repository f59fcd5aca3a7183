import { Scalar, YAMLMap, YAMLSeq, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { type Policy, policyHash } from '../policy/policy.ts';
import { draftPolicy } from './draft-policy.ts';
import { parsePolicyFile } from './parse-file.ts';
import { fileFields } from './write-file.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Texts that some YAML versions misread unless they are quoted. */
const AMBIGUOUS = /^(?:[-+.\d].*|~|null|true|false|yes|no|on|off|)$/i;

const scalarOf = (value: unknown): Scalar => {
  const scalar = new Scalar(String(value));
  if (typeof value === 'string' && AMBIGUOUS.test(value)) scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
};

/** A value as a YAML node that parses to exactly the same value. */
export const nodeOf = (value: unknown): Scalar | YAMLMap | YAMLSeq => {
  if (typeof value !== 'object' || value === null) return scalarOf(value);
  if (Array.isArray(value)) {
    const seq = new YAMLSeq();
    seq.items = value.map(nodeOf);
    return seq;
  }
  const map = new YAMLMap();
  for (const [key, part] of Object.entries(value)) map.set(key, nodeOf(part));
  return map;
};

/** Identifies a list item in the old and the new file, using the same fields as `draftPolicy`. */
const keyOf = (item: unknown): string => {
  if (typeof item !== 'object' || item === null) return String(item);
  const { address, name, type, url, method = 'POST' } = item as Readonly<Record<string, string>>;
  if (address !== undefined) return address.toLowerCase();
  return name === undefined ? `${method} ${String(url)}` : `${String(type)} ${name}`;
};

const mergedSeq = (seq: YAMLSeq, values: readonly unknown[]): YAMLSeq => {
  const known = new Map(seq.items.map((item) => [keyOf((item as YAMLMap).toJSON()), item]));
  seq.items = values.map((value) => {
    const item = known.get(keyOf(value));
    known.delete(keyOf(value));
    return item === undefined ? nodeOf(value) : merged(item, value);
  });
  // An empty list is written in brackets. Long items need one line each.
  if (values.length > 0 && seq.items.every((item) => !isScalar(item))) seq.flow = false;
  return seq;
};

/** True for a value that counts as omitted. An empty list does so only as a section: rules are compared exactly. */
const isNothing = (value: unknown, isSection: boolean): boolean => {
  if (Array.isArray(value)) return isSection && value.length === 0;
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
};

const mergedMap = (map: YAMLMap, fields: Fields, besides?: string): YAMLMap => {
  for (const key of map.items.map((pair) => String(pair.key))) {
    if (!(key in fields) && key !== besides) map.delete(key);
  }
  for (const [key, value] of Object.entries(fields)) {
    if (map.has(key)) map.set(key, merged(map.get(key, true), value));
    else if (!isNothing(value, besides !== undefined)) map.set(key, nodeOf(value));
  }
  return map;
};

/** The node with a new value. Unchanged parts remain as they were written, including comments. */
const merged = (node: unknown, value: unknown): unknown => {
  if (isMap(node) && typeof value === 'object' && value !== null) return mergedMap(node, value as Fields);
  if (isSeq(node) && Array.isArray(value)) return mergedSeq(node, value);
  const other = nodeOf(value);
  if (!isScalar(node) || !isScalar(other)) return other;
  if (node.value === other.value) return node;
  const { comment, spaceBefore, commentBefore } = node;
  return Object.assign(other, { comment, spaceBefore, commentBefore });
};

/**
 * A policy file with the policy's values. Unchanged parts, including comments and tests, remain as they were written.
 * If nothing has changed, returns the same text.
 * @throws EngineError `POLICY_FILE_INVALID` if the text is not a policy file
 */
export const updatePolicyFile = (text: string, policy: Policy): string => {
  if (policyHash(draftPolicy(parsePolicyFile(text), policy)) === policyHash(policy)) return text;
  // All scalars are read as text, so that each number keeps its exact spelling.
  const document = parseDocument(text, { schema: 'failsafe' });
  mergedMap(document.contents as YAMLMap, fileFields(policy), 'tests');
  return document.toString({ lineWidth: 0, flowCollectionPadding: text.includes('{ ') });
};
