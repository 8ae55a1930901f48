import {
  createImageSandbox,
  type ImageSandbox,
} from "../src/platform/images/create-image-sandbox.ts";
import { createPdfSandbox } from "../src/platform/pdf-sandbox/create-pdf-sandbox.ts";
import type { PdfSandbox } from "../src/platform/pdf-sandbox/pdf-sandbox.ts";

/**
 * Shared by all platforms of a process: a child costs 1.2 s of CPU. A test that harms a sandbox
 * makes its own.
 */
export const testSandbox: PdfSandbox = createPdfSandbox({ size: 1 });
export const testImages: ImageSandbox = createImageSandbox();
