/** Undoes what was done, the last first. A step that fails does not keep the others from being done. */
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
