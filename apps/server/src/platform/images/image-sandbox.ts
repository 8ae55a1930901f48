import type { Problem, Result } from "@paraphe/contracts";

/** How a picture is written anew. Units: pixels. */
export type NewImage = {
  readonly maximumSidePx: number;
  readonly format?: "webp" | "png";
  /** `remove`: the paper behind a signature becomes transparent, and the picture is cut to the ink. */
  readonly background?: "keep" | "remove";
};

/** Decodes people's pictures in a process of its own, which has memory, time and nothing else: a decoder's fault ends that process alone. */
export type ImageSandbox = {
  /**
   * Gives an image as WebP (or as PNG, for a PDF): decoded, turned as its EXIF says, made to fit a square, and written anew, so that nothing
   * else of the file stays (EXIF, a second file behind it).
   * Errors: those of `checkImage`; `invalid_image` for a damaged one, or a sheet without ink; `service_unavailable` when too many wait for their turn.
   */
  reencode(bytes: Uint8Array, image: NewImage): Promise<Result<Uint8Array, Problem>>;
  /** Ends the process. */
  close(): Promise<void>;
};
