/** Something that cannot be undone, about to be done. */
export interface Question {
  /** As a question, e.g. `Delete Items?` */
  readonly title: string;
  /** What will be different afterwards. */
  readonly consequence: string;
  /** What the button that does it says. */
  readonly verb: string;
  readonly act: () => Promise<void>;
}
