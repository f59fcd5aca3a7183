import type Database from 'better-sqlite3';

/** Problems the database finds in itself; empty when it is sound. */
export const integrityFaults = (database: Database.Database): string[] => {
  try {
    const rows = database.pragma('integrity_check') as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((fault) => fault !== 'ok');
  } catch (error) {
    // Damaged so badly that it cannot even be checked.
    return [error instanceof Error ? error.message : String(error)];
  }
};
