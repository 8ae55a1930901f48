/** Copies to print: everything displayed made part of the pages, codes and texts drawn beside it, pages added. No signature is left in them. */
export { addPrintMarks } from "./add-print-marks.ts";
export { flattenForPrint } from "./flatten-for-print.ts";
export type {
  AddedPage,
  Frame,
  MarkedPage,
  PrintedCode,
  PrintedMarks,
  PrintedRule,
  PrintedText,
  PrintMarksOptions,
} from "./add-print-marks.ts";
