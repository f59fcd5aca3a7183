/** The element of that number, counted round and round. @throws Error if the list is empty */
export const nth = <T>(list: readonly T[], index: number): T => {
  const found = list[index % list.length];
  if (found === undefined) throw new Error('The list is empty');
  return found;
};
