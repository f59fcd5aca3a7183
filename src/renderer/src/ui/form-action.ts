export interface FormAction {
  /** Label of its button. */
  verb: string;
  /** Title above the reason if it fails. */
  failed: string;
  /** True if everything is typed. */
  ready: boolean;
  /** It cannot be undone. */
  destroys?: boolean;
  /** Why it cannot run, known in advance. */
  error?: string;
  act: () => Promise<unknown>;
  /** Message after success. */
  done: string;
}
