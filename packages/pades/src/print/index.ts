/** Copies to print: everything displayed made part of the pages, codes and texts drawn beside it, pages added. No signature is left in them. */
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
