import { toSvg } from 'jdenticon';

/** One colour of an identicon. */
interface IdenticonPath {
  readonly fill: string;
  readonly d: string;
}

const PATH = /<path fill="([^"]*)" d="([^"]*)"/g;

/**
 * The identicon of an address as paths of an SVG of this size: the same for the same address, in whatever letter case.
 * Paths, and not the library's markup, so that nothing is ever taken for HTML.
 */
export const identiconPaths = (address: string, size: number): IdenticonPath[] =>
  [...toSvg(address.toLowerCase(), size, { padding: 0 }).matchAll(PATH)].map(([, fill = '', d = '']) => ({ fill, d }));
