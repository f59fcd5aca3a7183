/** What a form does. */
export interface FormAction {
  /** What its button says. */
  verb: string;
  /** What is said above the reason where it fails. */
  failed: string;
  /** Whether everything is typed. */
  ready: boolean;
  /** It cannot be undone. */
  destroys?: boolean;
  /** Why it cannot be done, found before it is tried. */
  error?: string;
  act: () => Promise<unknown>;
  /** What is said once it is done. */
  done: string;
}
