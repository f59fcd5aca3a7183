/** Runs undo steps, last one first. If a step fails, the others still run. */
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
