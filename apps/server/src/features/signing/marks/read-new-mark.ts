import {
  failure,
  MAX_SIGNATURE_IMAGE_BYTES,
  type NewMark,
  type Problem,
  problem,
  type Result,
  success,
} from "@paraphe/contracts";
import type { ImageSandbox } from "../../../platform/images/create-image-sandbox.ts";
import type { KeptMark } from "../seal/act-content.ts";

const MAX_STROKE_POINTS = 20_000;
/** At 600 dots per inch this is a mark of 5 cm: more only swells each signed document. */
const KEPT_IMAGE_SIDE_PX = 1_200;

/**
 * Reads how a signature looks, bounded, so that sealing never meets what it cannot draw.
 * Shape: an image is judged by its content, decoded in its own process and written anew as PNG, without its metadata (security line 53).
 * Errors: `validation` (an empty drawing), `invalid_image`, `image_too_large`, `image_file_too_large`, `service_unavailable`.
 */
export async function readNewMark(
  images: ImageSandbox,
  mark: NewMark,
  background: "keep" | "remove" = "keep",
): Promise<Result<KeptMark>> {
  switch (mark.kind) {
    case "typed":
      return success({ kind: "typed", text: mark.text, hand: mark.font });
    case "drawn":
      return mark.strokes === undefined
        ? readImage(images, { dataUrl: mark.image ?? "", background })
        : readStrokes(mark.strokes);
    case "uploaded":
      return readImage(images, { dataUrl: mark.image, background });
  }
}

type Strokes = Extract<KeptMark, { kind: "strokes" }>["strokes"];

function readStrokes(strokes: Strokes): Result<KeptMark> {
  const points = strokes.flat();
  if (points.length > MAX_STROKE_POINTS)
    return failure(refused("Le dessin compte trop de points. Effacez-le, puis recommencez."));
  const [first] = points;
  const isDrawn = points.some(([x, y]) => x !== first?.[0] || y !== first?.[1]);
  return isDrawn
    ? success({ kind: "strokes", strokes })
    : failure(refused("Dessinez votre signature"));
}

async function readImage(
  images: ImageSandbox,
  { dataUrl, background }: { readonly dataUrl: string; readonly background: "keep" | "remove" },
): Promise<Result<KeptMark>> {
  const bytes = new Uint8Array(Buffer.from(dataUrl.slice(dataUrl.indexOf(",") + 1), "base64"));
  if (bytes.length > MAX_SIGNATURE_IMAGE_BYTES) return failure(problem("image_file_too_large"));
  const png = await images.reencode(bytes, {
    maximumSidePx: KEPT_IMAGE_SIDE_PX,
    format: "png",
    background,
  });
  return png.ok
    ? success({ kind: "image", png_base64: Buffer.from(png.value).toString("base64") })
    : png;
}

function refused(message: string): Problem {
  return problem("validation", { errors: { signature: [message] } });
}

type Form = {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly { readonly field: string; readonly bytes: Uint8Array }[];
};
const BOOLEANS = new Set(["is_default", "remove_background"]);

/**
 * Gives the body that a multipart form stands for: strokes are JSON, the file is `image`, `true` and `false` are words.
 * Errors: `validation` for a field that cannot be read, and for a file of another name.
 */
export function readSignatureForm({ fields, files }: Form): Result<Record<string, unknown>> {
  const body: Record<string, unknown> = { kind: "uploaded", ...fields };
  for (const name of BOOLEANS) {
    if (body[name] === "true" || body[name] === "false") body[name] = body[name] === "true";
  }
  if (fields["strokes"] !== undefined) {
    const strokes = readJson(fields["strokes"]);
    if (strokes === undefined)
      return failure(problem("validation", { errors: { strokes: ["Tracé illisible"] } }));
    body["strokes"] = strokes;
  }
  const stray = files.find((file) => file.field !== "image");
  if (stray !== undefined)
    return failure(problem("validation", { errors: { [stray.field]: ["Champ inconnu"] } }));
  const [file, second] = files;
  if (second !== undefined)
    return failure(problem("validation", { errors: { image: ["Une seule image"] } }));
  // What the file says it is does not count: its content is judged.
  if (file !== undefined)
    body["image"] = `data:image/png;base64,${Buffer.from(file.bytes).toString("base64")}`;
  return success(body);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
