import { FunctionFragment } from 'ethers';

/** Longest line: a method with tuples in tuples has a few hundred characters. */
const MAX_CHARACTERS = 5000;

const lineOf = (fragment: FunctionFragment): string => fragment.format('full').replace(/^function /, '');

const jsonOf = (fragment: FunctionFragment): object => {
  const { name, stateMutability } = fragment;
  const { inputs, outputs } = JSON.parse(fragment.format('json')) as Record<'inputs' | 'outputs', unknown>;
  return { inputs, name, outputs, stateMutability, type: 'function' };
};

/**
 * The JSON of an ABI whose methods are lines such as `mint(uint256 amount) payable`.
 * @throws Error for a line that is not a method
 */
export const abiOfLines = (lines: readonly string[]): string =>
  JSON.stringify(
    lines.map((line) => {
      if (line.length > MAX_CHARACTERS) throw new Error('A method is too long.');
      return jsonOf(FunctionFragment.from(`function ${line.replace(/^\s*function\s+/, '')}`));
    }),
  );

/** The lines of an ABI, if they are equivalent to its JSON; undefined if the JSON is needed. */
export const linesOfAbi = (abi: string): string[] | undefined => {
  try {
    const lines = (JSON.parse(abi) as unknown[]).map((entry) => lineOf(FunctionFragment.from(entry)));
    return abiOfLines(lines) === abi ? lines : undefined;
  } catch {
    return undefined;
  }
};
