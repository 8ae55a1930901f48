import { failure, type Problem, problem, type Result, success } from "@paraphe/contracts";
import { createBoundedQueue } from "../concurrency.ts";
import { SandboxLimitError } from "../pdf-sandbox/pdf-sandbox.ts";
import {
  againWhenAway,
  type SandboxLimits,
  type SandboxProcess,
  startSandboxProcess,
} from "../pdf-sandbox/sandbox-process.ts";
import { TASKS } from "../pdf-sandbox/sandbox-program.ts";
import { checkImage } from "./check-image.ts";
import type { ImageTasks, ReencodeOptions } from "./image-tasks.ts";

type NewImage = {
  readonly maximumSidePx: number;
  readonly format?: "webp" | "png";
  /** `remove` makes it transparent, cut to the ink. */
  readonly background?: "keep" | "remove";
};

/** Runs in its own process, so that a decoder's fault ends that alone. */
export type ImageSandbox = {
  /**
   * Gives WebP (PNG for a PDF): rotated by EXIF, fitted to a square, without the file's other
   * contents.
   * Errors: `checkImage`'s; `invalid_image` for damage or a blank sheet; `service_unavailable`.
   */
  reencode(bytes: Uint8Array, image: NewImage): Promise<Result<Uint8Array, Problem>>;
  /**
   * Gives a PNG in a square; the caller bounds the SVG's own size.
   * Errors: `invalid_image`; `service_unavailable`.
   */
  drawSvg(text: string, maximumSidePx: number): Promise<Result<Uint8Array, Problem>>;
  close(): Promise<void>;
};

type Task =
  | readonly ["reencode", Uint8Array, ReencodeOptions]
  | readonly ["drawSvg", string, number];

/** Node reserves 600 MB of addresses; the largest picture takes 490 (`check-image.ts`). */
const LIMITS: SandboxLimits = { heapMb: 256, memoryMb: 1_280, taskMs: 20_000, addons: "allowed" };
/** Pictures are rare: an idle process ends and gives its memory back. */
const IDLE_MS = 60_000;
const TASKS_PER_PROCESS = 200;

export function createImageSandbox(limits: Partial<SandboxLimits> = {}): ImageSandbox {
  const inTurn = createBoundedQueue({ concurrency: 1, longest: 20 });
  let child: Promise<SandboxProcess> | null = null;
  let idle: NodeJS.Timeout | undefined;
  let tasks = 0;
  let isClosed = false;

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = child;
    child = null;
    tasks = 0;
    (await ending?.catch(() => null))?.end();
  };
  const living = async (): Promise<SandboxProcess> => {
    clearTimeout(idle);
    if (isClosed) throw new Error("The sandbox of pictures is closed");
    const current = await child?.catch(() => null);
    if (current?.usable() && tasks < TASKS_PER_PROCESS) return current;
    await end();
    child = startSandboxProcess(TASKS.images, { ...LIMITS, ...limits });
    return child;
  };
  const run = async (...task: Task): Promise<Result<Uint8Array, Problem>> => {
    try {
      const written = await againWhenAway(async () => {
        const process = await living();
        tasks += 1;
        const [name, ...given] = task;
        return (await process.run(name, given)) as Awaited<ReturnType<ImageTasks[typeof name]>>;
      });
      return written === null ? failure(problem("invalid_image")) : success(written);
    } catch (error) {
      if (error instanceof SandboxLimitError) return failure(problem("invalid_image"));
      throw error;
    } finally {
      idle = setTimeout(() => void end(), IDLE_MS).unref();
    }
  };
  return {
    async reencode(bytes, { maximumSidePx, format = "webp", background = "keep" }: NewImage) {
      const size = checkImage(bytes);
      if (!size.ok) return size;
      const { width, height } = size.value;
      const done = await inTurn(() =>
        run("reencode", bytes, { width, height, maximumSidePx, format, background }),
      );
      return done.ok ? done.value : done;
    },
    async drawSvg(text, maximumSidePx) {
      const done = await inTurn(() => run("drawSvg", text, maximumSidePx));
      return done.ok ? done.value : done;
    },
    async close() {
      isClosed = true;
      await end();
    },
  };
}
