import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openRpcDocument } from '../../src/engine/description/openrpc.ts';

interface DescribedError {
  readonly name: string;
  readonly params: readonly { readonly required: boolean; readonly schema: object }[];
  readonly result: { readonly schema: object };
  readonly errors: readonly { readonly code: number }[];
}

interface Checks {
  readonly required: number;
  readonly params: readonly ValidateFunction[];
  readonly result: ValidateFunction;
  readonly errors: ReadonlySet<number>;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
let read: { methods: readonly DescribedError[]; components: object } | undefined;
const document = () => (read ??= openRpcDocument() as NonNullable<typeof read>);
const compile = (schema: object): ValidateFunction => ajv.compile({ ...schema, components: document().components });
const checks = new Map<string, Checks>();
const checksOf = (method: string): Checks | undefined => {
  const found = checks.get(method);
  const described = document().methods.find(({ name }) => name === method);
  if (found !== undefined || described === undefined) return found;
  const { params, result, errors } = described;
  const made: Checks = {
    required: params.filter(({ required }) => required).length,
    params: params.map(({ schema }) => compile(schema)),
    result: compile(result.schema),
    errors: new Set(errors.map(({ code }) => code)),
  };
  checks.set(method, made);
  return made;
};

export interface Exchange {
  readonly request: { readonly method?: unknown; readonly params?: readonly unknown[] };
  readonly answer: { readonly result?: unknown; readonly error?: { readonly code: number } };
}

const METHOD_NOT_FOUND = -32601;
/** Errors of the request as a whole, whatever its method. */
const OF_ANY_REQUEST = [-32700, -32600];
/** Unknown key or chain: answered before the method is checked. */
const UNAUTHORIZED = -32051;

/** How an exchange differs from the description in `/openrpc.json`; empty if it matches. */
export const describedDifferences = ({ request, answer }: Exchange): string[] => {
  const code = answer.error?.code;
  if (typeof request.method !== 'string' && code === UNAUTHORIZED) return [];
  const described = checksOf(String(request.method));
  if (described === undefined) {
    return [METHOD_NOT_FOUND, ...OF_ANY_REQUEST].includes(code ?? 0) ? [] : ['the method is not described'];
  }
  if (code !== undefined) {
    return described.errors.has(code) || OF_ANY_REQUEST.includes(code) ? [] : [`error ${code} is not described`];
  }
  const params = request.params ?? [];
  const errors = params.flatMap((value, index) => {
    const check = described.params[index];
    // A method ignores parameters that it does not use.
    if (check === undefined || (value === null && index >= described.required)) return [];
    return check(value) ? [] : [`params[${index}] is taken: ${ajv.errorsText(check.errors)}`];
  });
  if (params.length < described.required) errors.push('fewer params are taken than are required');
  if (!described.result(answer.result)) errors.push(`the result: ${ajv.errorsText(described.result.errors)}`);
  return errors;
};
