export interface FormAction {
  /** Label of the button. */
  verb: string;
  /** Title of the error if the action fails. */
  failed: string;
  /** True if everything has been entered. */
  ready: boolean;
  /** True if the action cannot be undone. */
  destroys?: boolean;
  /** Why the action cannot run, if that is known in advance. */
  error?: string;
  act: () => Promise<unknown>;
  /** Message after success. */
  done: string;
}
