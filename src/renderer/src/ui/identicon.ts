import { toSvg } from 'jdenticon';

interface IdenticonPath {
  readonly fill: string;
  readonly d: string;
}

const PATH = /<path fill="([^"]*)" d="([^"]*)"/g;

/**
 * The identicon of an address as SVG paths in this size. It does not depend on the address's letter case. Paths are
 * used instead of the library's markup, so that nothing is ever parsed as HTML.
 */
export const identiconPaths = (address: string, size: number): IdenticonPath[] =>
  [...toSvg(address.toLowerCase(), size, { padding: 0 }).matchAll(PATH)].map(([, fill = '', d = '']) => ({ fill, d }));
