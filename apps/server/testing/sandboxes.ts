import {
  createImageSandbox,
  type ImageSandbox,
} from "../src/platform/images/create-image-sandbox.ts";
import { createPdfSandbox } from "../src/platform/pdf-sandbox/create-pdf-sandbox.ts";
import type { PdfSandbox } from "../src/platform/pdf-sandbox/pdf-sandbox.ts";

/**
 * The sandboxes that all platforms of a test process share: starting a child takes 1.2 s of CPU. They keep nothing from task to task, and their children
 * end with this process. A test that harms a sandbox makes its own.
 */
export const testSandbox: PdfSandbox = createPdfSandbox({ size: 1 });
export const testImages: ImageSandbox = createImageSandbox();
