/**
 * Copies to print: all that is displayed as part of the pages, codes and texts, added pages; no
 * signature.
 */
export {
  type AddedPage,
  addPrintMarks,
  type Frame,
  type MarkedPage,
  type PrintedCode,
  type PrintedMarks,
  type PrintedRule,
  type PrintedText,
  type PrintMarksOptions,
} from "./add-print-marks.ts";
export { flattenForPrint } from "./flatten-for-print.ts";
