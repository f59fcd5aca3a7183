import {
  type Completion as Option,
  type CompletionResult,
  type CompletionSource,
  autocompletion,
  closeCompletion,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, placeholder, tooltips } from '@codemirror/view';
import type { ConditionError } from '../../../../core/conditions/condition.ts';
import { type Completion, completionsAfter } from '../../../../core/conditions/completions.ts';
import type { KnownContract } from '../../../../core/conditions/known-methods.ts';

/** Marks an error in the text; undefined removes the mark. */
export const showError = StateEffect.define<ConditionError | undefined>();

const errorMark = Decoration.mark({ class: 'condition-error' });

/** A mark covers at least one character. If the error is at the end of the text, the mark covers the last character. */
const markOf = ({ at, end }: ConditionError, length: number): DecorationSet => {
  const to = Math.min(Math.max(end, at + 1), length);
  const from = Math.max(0, Math.min(at, to - 1));
  return from < to ? Decoration.set(errorMark.range(from, to)) : Decoration.none;
};

const errorField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects, newDoc }) {
    const shown = effects.findLast((effect) => effect.is(showError));
    if (shown === undefined) return marks.map(changes);
    const error = shown.value;
    return error === undefined ? Decoration.none : markOf(error, newDoc.length);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const optionOf = ({ label, kind, detail, text }: Completion): Option => ({
  label,
  apply: text,
  // The space separates label and detail for screen readers.
  detail: ` ${detail}`,
  boost: kind === 'function' ? -1 : 0,
});

/** The list of suggestions stays valid while a name is being typed. */
const TYPED_ON = /^\w*$/;

const sourceOf =
  (contracts: () => readonly KnownContract[]): CompletionSource =>
  ({ state, pos, explicit }): CompletionResult | null => {
    const before = state.sliceDoc(0, pos);
    const { from, isExpected, options } = completionsAfter(before, contracts());
    if (!explicit && !isExpected && from === pos) return null;
    return options.length === 0 ? null : { from, options: options.map(optionOf), validFor: TYPED_ON };
  };

/** All suggestions in the list are visible, because it follows the selection and has no scroll bar. */
const MAX_LISTED = 10;

/** Escape closes the suggestions, but never the surrounding form, in which what was typed would be lost. */
const escape = (view: EditorView): boolean => {
  closeCompletion(view);
  return true;
};
const keys = completionKeymap.map((binding) =>
  binding.key === 'Escape' ? { ...binding, run: escape, stopPropagation: true } : binding,
);

const looks = EditorView.theme({
  '&': { width: '100%', border: '1px solid var(--control)', borderRadius: '6px', backgroundColor: 'var(--surface)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', fontSize: '12.5px', lineHeight: '1.6', maxHeight: '14em' },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 11px' },
  '.cm-placeholder': { color: 'var(--text-quiet)' },
  '.condition-error': { textDecoration: 'underline wavy var(--error)', textUnderlineOffset: '3px' },
  '&.cm-editor .cm-tooltip': {
    border: '1px solid var(--line)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--font-mono)',
    fontSize: '12.5px',
    maxWidth: 'min(560px, 94vw)',
    maxHeight: 'none',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', overflow: 'hidden', textOverflow: 'ellipsis' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--surface)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionDetail': { color: 'var(--text-quiet)', fontStyle: 'normal' },
  'li[aria-selected] .cm-completionDetail': { color: 'inherit' },
});

interface EditorSetup {
  readonly parent: HTMLElement;
  readonly text: string;
  /** Placeholder for the empty field. */
  readonly example: string;
  readonly contracts: () => readonly KnownContract[];
  /** Current attributes of the input element. */
  readonly attributes: () => Record<string, string>;
  readonly onText: (text: string) => void;
}

/** An editor for one condition. Tab leaves it; Ctrl+Space lists suggestions. */
export const conditionEditor = ({ parent, text, example, contracts, attributes, onText }: EditorSetup): EditorView => {
  const extensions: Extension = [
    history(),
    keymap.of([...keys, ...defaultKeymap, ...historyKeymap]),
    autocompletion({
      override: [sourceOf(contracts)],
      defaultKeymap: false,
      icons: false,
      maxRenderedOptions: MAX_LISTED,
      // Enter accepts a suggestion immediately, because line breaks are rarely needed.
      interactionDelay: 0,
    }),
    tooltips({ position: 'fixed' }),
    EditorState.phrases.of({ Completions: 'What can be typed' }),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of(attributes),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onText(state.doc.toString());
    }),
    placeholder(example),
    errorField,
    looks,
  ];
  return new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
};
