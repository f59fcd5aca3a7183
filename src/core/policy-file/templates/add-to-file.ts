import { type YAMLMap, YAMLSeq, isMap, isSeq, parseDocument } from 'yaml';
import type { TemplateResult } from './template.ts';
import { nodeOf } from '../update-file.ts';

const contractsIn = (file: YAMLMap): YAMLMap[] => {
  const contracts = file.get('contracts');
  return isSeq(contracts) ? contracts.items.filter((item) => isMap(item)) : [];
};

/** Restricts sponsorship to one method of one contract. The other contracts are paused, but keep their methods. */
const leaveAlone = (file: YAMLMap, { contract, method }: NonNullable<TemplateResult['alone']>): void => {
  for (const item of contractsIn(file)) {
    if (item.get('name') === contract) {
      const methods = item.get('methods');
      if (isSeq(methods)) methods.items = [nodeOf(method)];
      else item.set('methods', nodeOf([method]));
      item.delete('active');
    } else {
      item.set('active', nodeOf(false));
    }
  }
};

/** A policy file with the template's rules added after its existing ones. Existing text and comments stay unchanged. */
export const addToFile = (text: string, { rules, alone }: TemplateResult): string => {
  // All scalars are read as text, so that each number keeps its exact spelling.
  const document = parseDocument(text, { schema: 'failsafe' });
  const file = document.contents as YAMLMap;
  const list = file.get('rules');
  if (list instanceof YAMLSeq && rules.length > 0) {
    for (const { name, type, when, data } of rules) {
      list.add(nodeOf({ name, type, ...(when !== undefined && { when }), data }));
    }
    // An empty list is written in brackets. Long items need one line each.
    list.flow = false;
  }
  if (alone !== undefined) leaveAlone(file, alone);
  return document.toString({ lineWidth: 0, flowCollectionPadding: text.includes('{ ') });
};
