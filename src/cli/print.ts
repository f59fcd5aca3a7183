import { type Printable, humanText } from './human-text.ts';

/** Prints what a command answers: one JSON document, or text for people. */
export const print = (value: Printable, json: boolean): void => {
  console.log(json ? JSON.stringify(value) : humanText(value));
};
