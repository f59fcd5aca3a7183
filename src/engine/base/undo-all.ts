/** Runs undo steps, last first. A failing step does not stop the others. */
export const undoAll = async (undo: (() => unknown)[]): Promise<void> => {
  const errors: unknown[] = [];
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
};
