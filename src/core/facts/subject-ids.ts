/** The keyed hashes of the people that were verified, from the facts of a record. */
export const subjectIdsIn = (facts: unknown): string[] => {
  const { subjects } = Object(facts) as { readonly subjects?: unknown };
  return Object.values(Object(subjects) as object).flatMap((found: unknown) => {
    const { id } = Object(found) as { readonly id?: unknown };
    return typeof id === 'string' ? [id] : [];
  });
};
