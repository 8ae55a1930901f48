import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Document, Envelope } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../apps/server/testing/app.ts";
import type { TestBrowser } from "../../apps/server/testing/browser.ts";
import { createDraft, ENVELOPES, PAUL } from "../../apps/server/testing/envelope.ts";
import { openMailedGuest } from "../../apps/server/testing/guest.ts";
import { makePng } from "../../apps/server/testing/images.ts";
import { createMember, signIn } from "../../apps/server/testing/member.ts";
import { smallPdf, type SmallPdfOptions } from "../../packages/pades/testing/small-pdf.ts";
import { place } from "../support/make-contract.ts";
import { hasTool } from "../support/run-tool.ts";

const missing = hasTool("pdftoppm") ? "" : "pdftoppm is not installed";
/** Six pixels a point. */
const DPI = 432;
/** Points of the displayed page. */
const TOLERANCE = 0.5;

const ROTATIONS = [0, 90, 180, 270];
const CROPS = [undefined, "40.5 60.25 540.5 760.75"];
const UNITS = [undefined, 1.5];
const SHAPES: readonly SmallPdfOptions[] = ROTATIONS.flatMap((rotate) =>
  CROPS.flatMap((cropBox) =>
    UNITS.flatMap((userUnit) =>
      [false, true].map((inherited) => ({
        rotate,
        inherited,
        ...(cropBox ? { cropBox } : {}),
        ...(userUnit ? { userUnit } : {}),
        objects: { 4: "<</Length 0>>\nstream\n\nendstream" },
      })),
    ),
  ),
);

/** A square in points, `left` and `top` from the nearest page edges: each measures two edges. */
type Square = {
  readonly type: "signature" | "checkbox";
  readonly side: number;
  readonly from: readonly [left: number, top: number];
};
/** Negative: from the right or bottom edge. Only the first signature carries text lines. */
const SQUARES: readonly Square[] = [
  { type: "signature", side: 90, from: [200, 200] },
  { type: "signature", side: 50, from: [12, 9] },
  { type: "signature", side: 50, from: [-7, -13] },
  { type: "checkbox", side: 20, from: [-11, 17] },
  { type: "checkbox", side: 20, from: [15, -10] },
];
type Box = readonly [left: number, top: number, right: number, bottom: number];

function boxOn(
  { width, height }: { width: number; height: number },
  { side, from: [x, y] }: Square,
): Box {
  const left = x < 0 ? width + x - side : x;
  const top = y < 0 ? height + y - side : y;
  return [left, top, left + side, top + side];
}

/** Where a square's ink must be, in displayed points, less the appearance's margin. */
function inkOf(box: Box, { type, side }: Square, unit: number): Box {
  // A mark leaves 4 % of its box free; a checkbox one unit, less half its frame's line.
  const inner = side / unit - 2;
  const free = type === "signature" ? side * 0.04 : unit - (Math.max(0.5, inner / 18) * unit) / 2;
  return [box[0] + free, box[1] + free, box[2] - free, box[3] - free];
}

type Picture = { readonly columns: number; readonly rows: number; readonly pixels: Uint8Array };

function render(folder: string, pdf: Uint8Array): Picture {
  const path = join(folder, "page");
  writeFileSync(`${path}.pdf`, pdf);
  execFileSync("pdftoppm", [
    "-r",
    String(DPI),
    "-gray",
    "-cropbox",
    "-f",
    "1",
    "-l",
    "1",
    "-singlefile",
    `${path}.pdf`,
    path,
  ]);
  const file = readFileSync(`${path}.pgm`);
  const [, width, height] =
    /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(file.subarray(0, 40).toString("latin1")) ?? [];
  const [columns, rows] = [Number(width), Number(height)];
  return { columns, rows, pixels: file.subarray(file.length - columns * rows) };
}

/** Box of the ink within a window of the page, in displayed points. */
function measure(
  { columns, rows, pixels }: Picture,
  page: { width: number; height: number },
  window: Box,
): Box {
  const [across, down] = [columns / page.width, rows / page.height];
  const [x1, x2] = [
    Math.max(0, Math.floor(window[0] * across)),
    Math.min(columns, Math.ceil(window[2] * across)),
  ];
  const [y1, y2] = [
    Math.max(0, Math.floor(window[1] * down)),
    Math.min(rows, Math.ceil(window[3] * down)),
  ];
  let [left, top, right, bottom] = [x2, y2, x1, y1];
  for (let y = y1; y < y2; y += 1) {
    for (let x = x1; x < x2; x += 1) {
      if ((pixels[y * columns + x] ?? 255) > 200) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + 1);
    }
  }
  return [left / across, top / down, right / across, bottom / down];
}

const around = ([left, top, right, bottom]: Box, by: number): Box => [
  left - by,
  top - by,
  right + by,
  bottom + by,
];
const farthest = (a: Box, b: Box): number =>
  Math.max(...a.map((edge, index) => Math.abs(edge - (b[index] ?? Number.NaN))));

describe.skipIf(missing !== "")(
  `fields in the signed file${missing ? ` (${missing})` : ""}`,
  () => {
    let service: TestApp;
    let sender: TestBrowser;
    let folder: string;
    beforeAll(async () => {
      service = await createTestApp({ settings: { rateLimits: "off" } });
      sender = await signIn(service, await createMember(service.platform));
      folder = await mkdtemp(join(tmpdir(), "paraphe-placement-"));
    }, 60_000);
    afterAll(async () => {
      await service.close();
      await rm(folder, { recursive: true, force: true });
    });

    /** Page sizes come from the service, as in the editor. */
    async function signedFiles(
      shapes: readonly SmallPdfOptions[],
    ): Promise<readonly { page: Document["pages"][number]; pdf: Uint8Array }[]> {
      const files = shapes.map((shape, index) => ({
        name: `Page ${index + 1}.pdf`,
        bytes: smallPdf(shape),
      }));
      const draft = await createDraft(sender, { files, recipients: [PAUL] });
      const pages = draft.documents.map(({ pages: [page] }) => page as Document["pages"][number]);
      const fields = draft.documents.flatMap(({ id }, index) =>
        SQUARES.map((square) => {
          const { width, height } = pages[index] as { width: number; height: number };
          const [left, top, right, bottom] = boxOn({ width, height }, square);
          const fractions = {
            x: left / width,
            y: top / height,
            width: (right - left) / width,
            height: (bottom - top) / height,
          };
          const {
            document_index: _document,
            recipient_index: _recipient,
            ...field
          } = place(square.type, 0, fractions) as Record<string, unknown>;
          return { ...field, document_id: id, recipient_id: draft.recipients[0]?.id };
        }),
      );
      const patched = await sender.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { fields } });
      expect(patched.status, patched.text).toBe(200);
      const sent = await sender.post(`${ENVELOPES}${draft.id}/send/`);
      expect(sent.status, sent.text).toBe(200);
      await sign(sent.body);
      return Promise.all(
        draft.documents.map(async ({ id }, index) => ({
          page: pages[index] as Document["pages"][number],
          pdf: (await sender.get(`${ENVELOPES}${draft.id}/documents/${id}/file/`)).bytes,
        })),
      );
    }

    async function sign(envelope: Envelope): Promise<void> {
      const guest = await openMailedGuest(service, envelope.id, PAUL.email);
      await guest.confirm();
      const fields = envelope.fields
        .filter(({ type }) => type === "checkbox")
        .map(({ id }) => ({ id, value: "Oui" }));
      const image = `data:image/png;base64,${Buffer.from(makePng(200, 200)).toString("base64")}`;
      const answer = await guest.post("sign/", {
        fields,
        signature: { kind: "uploaded", image },
        consent: true,
      });
      expect([200, 202], answer.text).toContain(answer.status);
      await service.settle({ deferred: "run" });
    }

    test("lie within half a point of their place, for each rotation, crop box, user unit and inherited box", async () => {
      expect(SHAPES).toHaveLength(32);
      const errors: number[] = [];
      for (const shapes of [SHAPES.slice(0, 16), SHAPES.slice(16)]) {
        for (const [index, { page, pdf }] of (await signedFiles(shapes)).entries()) {
          const shape = shapes[index] as SmallPdfOptions;
          const picture = render(folder, pdf);
          const name = JSON.stringify({ ...shape, objects: undefined });
          for (const [rank, square] of SQUARES.entries()) {
            const box = boxOn(page, square);
            const ink = measure(picture, page, around(box, 6));
            if (rank === 0) {
              // A mark and its lines stay within their box.
              expect(
                Math.max(box[0] - ink[0], box[1] - ink[1], ink[2] - box[2], ink[3] - box[3]),
                name,
              ).toBeLessThanOrEqual(TOLERANCE);
              expect(ink[2] - ink[0], name).toBeGreaterThan(square.side / 2);
              continue;
            }
            const error = farthest(ink, inkOf(box, square, shape.userUnit ?? 1));
            expect(error, `${name}, ${square.type} at ${square.from.join()}`).toBeLessThanOrEqual(
              TOLERANCE,
            );
            errors.push(error);
          }
        }
      }
      expect(errors).toHaveLength(32 * 4);
      console.info(
        `placement: farthest edge ${Math.max(...errors).toFixed(3)} pt of ${errors.length} fields, each edge measured at ${DPI} dpi`,
      );
    });
  },
);
