import { folderTarget } from './folder-target.ts';
import type { CopyTarget } from './target.ts';

/** Opens a target, as the setting `continuousBackup` names it. Does not use it yet. */
export const openTarget = async (target: string): Promise<CopyTarget> => folderTarget(target);
