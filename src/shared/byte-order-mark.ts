/** A text without the byte order mark that some editors and shells put at its beginning. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, '');
