const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that a page may contain unescaped. Only {@link html} creates it, so that all other text is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Markup[];

const written = (part: Part): string => {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
};

/** Creates HTML. Every part that is not {@link Markup} is escaped. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.map((string, index) => (index === 0 ? '' : written(parts[index - 1] ?? '')) + string).join(''));
