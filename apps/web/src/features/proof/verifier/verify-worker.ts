import {
  type OfflineReport,
  type ReceivedInput,
  type Trust,
  attachedProof,
  readCertificates,
  readSealKeys,
  verifyReceived,
} from "@paraphe/proof";
import { decodeQR } from "qr/decode.js";

/** `certificates`: PEM or DER; `keySets`: the seal's keys (JWK). */
export type Brought = Omit<ReceivedInput, "roots" | "sealKeys"> & {
  readonly certificates: readonly Uint8Array[];
  readonly keySets: readonly Uint8Array[];
};
export type Checked = { readonly report: OfflineReport; readonly trust: Trust };

/** `code`: of a photograph, null where none can be read. */
export type WorkerQuestion =
  | { readonly ask: "check"; readonly brought: Brought }
  | { readonly ask: "code"; readonly photo: Uint8Array }
  | { readonly ask: "evidence"; readonly pdf: Uint8Array };
export type Answers = {
  readonly check: Checked;
  readonly code: string | null;
  readonly evidence: boolean;
};
export type WorkerAnswer = { readonly answer: Answers[keyof Answers] } | { readonly error: string };

/** A worker keeps the page responsive; it makes no request. */
addEventListener("message", ({ data }: MessageEvent<WorkerQuestion>) => {
  void answer(data).then(
    (given) => postMessage({ answer: given } satisfies WorkerAnswer),
    (error: unknown) => postMessage({ error: String(error) } satisfies WorkerAnswer),
  );
});

async function answer(question: WorkerQuestion): Promise<Answers[keyof Answers]> {
  if (question.ask === "evidence") return (await attachedProof(question.pdf)) !== null;
  return question.ask === "code" ? readCode(question.photo) : check(question.brought);
}

function check({ certificates, keySets, ...things }: Brought): Promise<Checked> {
  return verifyReceived({
    ...things,
    roots: certificates.flatMap((file) => readCertificates(file)),
    sealKeys: keySets.flatMap((file) => readSealKeys(file)),
  });
}

/** Phone photographs have some 12 megapixels: larger ones are scaled down. */
const MAX_SIDE_PX = 4_000;
/** The decoder misses codes at 45° to the edges. */
const TURNS_DEGREES = [0, 22, 45] as const;

async function readCode(photo: Uint8Array): Promise<string | null> {
  const picture = await createImageBitmap(new Blob([photo as BlobPart])).catch(() => null);
  if (picture === null) return null;
  for (const degrees of TURNS_DEGREES) {
    const text = codeOf(turned(picture, degrees));
    if (text !== null) return text;
  }
  return null;
}

function codeOf({
  width,
  height,
  data,
}: Pick<ImageData, "width" | "height" | "data">): string | null {
  try {
    return decodeQR(
      { width, height, data },
      { effort: Number.POSITIVE_INFINITY, timeLimit: Number.POSITIVE_INFINITY },
    );
  } catch {
    return null;
  }
}

/** The canvas grows: nothing is cut. */
function turned(picture: ImageBitmap, degrees: number): ImageData {
  const angle = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(picture.width, picture.height));
  const [width, height] = [picture.width * scale, picture.height * scale];
  const canvas = new OffscreenCanvas(
    Math.ceil(width * cos + height * sin),
    Math.ceil(width * sin + height * cos),
  );
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (pen === null) throw new Error("this browser draws nothing");
  pen.translate(canvas.width / 2, canvas.height / 2);
  pen.rotate(angle);
  pen.drawImage(picture, -width / 2, -height / 2, width, height);
  return pen.getImageData(0, 0, canvas.width, canvas.height);
}
