/** Runs undo steps, last first. A failing step does not stop the others. */
export const undoAll = async (undo: (() => unknown)[]): Promise<void> => {
  const faults: unknown[] = [];
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
    try {
      await step();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
};
