import { FunctionFragment } from 'ethers';

/** The maximum length of a line. A method with nested tuples takes a few hundred characters. */
const MAX_CHARACTERS = 5000;

const lineOf = (fragment: FunctionFragment): string => fragment.format('full').replace(/^function /, '');

const jsonOf = (fragment: FunctionFragment): object => {
  const { name, stateMutability } = fragment;
  const { inputs, outputs } = JSON.parse(fragment.format('json')) as Record<'inputs' | 'outputs', unknown>;
  return { inputs, name, outputs, stateMutability, type: 'function' };
};

/**
 * Converts methods written as lines such as `mint(uint256 amount) payable` to the JSON of an ABI.
 * @throws Error for a line that is not a method
 */
export const abiOfLines = (lines: readonly string[]): string =>
  JSON.stringify(
    lines.map((line) => {
      if (line.length > MAX_CHARACTERS) throw new Error('A method is too long.');
      return jsonOf(FunctionFragment.from(`function ${line.replace(/^\s*function\s+/, '')}`));
    }),
  );

/** The methods of an ABI as lines; undefined if lines cannot express everything in the JSON. */
export const linesOfAbi = (abi: string): string[] | undefined => {
  try {
    const lines = (JSON.parse(abi) as unknown[]).map((entry) => lineOf(FunctionFragment.from(entry)));
    return abiOfLines(lines) === abi ? lines : undefined;
  } catch {
    return undefined;
  }
};
